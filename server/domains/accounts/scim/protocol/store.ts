import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Filter } from 'scim2-parse-filter'
import { fail } from '../../../../lib/fail.ts'

export type Condition = RawBuilder<SqlBool>

type Comparison = Extract<Filter, { compValue: unknown }>

/** Users have one name: the given name is its first word, the family name the rest. */
const GIVEN_NAME = sql`CASE WHEN instr(u.name, ' ') > 0 THEN substr(u.name, 1, instr(u.name, ' ') - 1) ELSE u.name END`

const FAMILY_NAME = sql`CASE WHEN instr(u.name, ' ') > 0 THEN substr(u.name, instr(u.name, ' ') + 1) ELSE '' END`

/** The columns of filterable attributes. Maps, because a client may send the name of a property that every object has. */
const TEXTS: ReadonlyMap<string, RawBuilder<unknown>> = new Map([
  ['id', sql`i.extern_uid`],
  ['externalid', sql`i.extern_uid`],
  ['username', sql`u.username`],
  ['displayname', sql`u.name`],
  ['name.formatted', sql`u.name`],
  ['name.givenname', GIVEN_NAME],
  ['name.familyname', FAMILY_NAME],
  ['emails', sql`u.email`],
  ['emails.value', sql`u.email`],
  ['emails.type', sql`'work'`],
])

const TIMES: ReadonlyMap<string, RawBuilder<unknown>> = new Map([
  ['meta.created', sql`i.created_at`],
  ['meta.lastmodified', sql`i.updated_at`],
])

export const refusal = () => fail('precondition_failed', 'Unsupported Filter')

/** The last part of an attribute's name, without its schema; the case does not matter. */
export function attributeOf(path: string): string {
  return path.replace(/^urn:ietf:params:scim:schemas:core:2\.0:User:/i, '').toLowerCase()
}

export function conditionOf(filter: Filter, prefix: string, active: RawBuilder<unknown>): Condition {
  if ('filters' in filter) {
    const parts = filter.filters.map((part) => conditionOf(part, prefix, active))
    return sql<SqlBool>`(${sql.join(parts, filter.op === 'and' ? sql` AND ` : sql` OR `)})`
  }
  if ('valFilter' in filter) return conditionOf(filter.valFilter, `${attributeOf(filter.attrPath)}.`, active)
  if ('filter' in filter) return sql<SqlBool>`NOT coalesce(${conditionOf(filter.filter, prefix, active)}, 0)`
  const name = prefix + attributeOf(filter.attrPath)
  if ('compValue' in filter) return comparison(name, filter, active)
  return isPresent(name)
}

function isPresent(name: string): Condition {
  const text = TEXTS.get(name)
  if (text) return sql<SqlBool>`${text} <> ''`
  if (TIMES.has(name) || name === 'active' || name === 'name' || name === 'emails.primary')
    return sql<SqlBool>`1`
  // Unsupported attributes are never present; the filter is still valid.
  return sql<SqlBool>`0`
}

function comparison(name: string, filter: Comparison, active: RawBuilder<unknown>): Condition {
  const { op, compValue: value } = filter
  if (name === 'active') return ofBoolean(active, filter)
  if (name === 'emails.primary') return ofBoolean(sql`1`, filter)
  const time = TIMES.get(name)
  if (time && typeof value === 'string' && !Number.isNaN(Date.parse(value)))
    return ordered(time, op, new Date(value).toISOString())
  const column = TEXTS.get(name)
  if (!column || typeof value !== 'string') throw refusal()
  // Identity providers often search for their own name of a user, which is the address.
  if (name === 'username' && op === 'eq' && value.includes('@'))
    return sql<SqlBool>`(u.username = ${value} OR u.email = ${value})`
  return ofText(column, op, value)
}

function ofBoolean(column: RawBuilder<unknown>, { op, compValue }: Comparison): Condition {
  const wanted = String(compValue).toLowerCase()
  if ((op !== 'eq' && op !== 'ne') || (wanted !== 'true' && wanted !== 'false')) throw refusal()
  return sql<SqlBool>`(${column}) = ${(wanted === 'true') === (op === 'eq') ? 1 : 0}`
}

function ofText(column: RawBuilder<unknown>, op: Comparison['op'], value: string): Condition {
  const like = (pattern: string) => sql<SqlBool>`${column} LIKE ${pattern} ESCAPE '\\'`
  const plain = value.replace(/[\\%_]/g, '\\$&')
  if (op === 'eq') return sql<SqlBool>`${column} = ${value} COLLATE NOCASE`
  if (op === 'ne') return sql<SqlBool>`${column} <> ${value} COLLATE NOCASE`
  if (op === 'co') return like(`%${plain}%`)
  if (op === 'sw') return like(`${plain}%`)
  if (op === 'ew') return like(`%${plain}`)
  return ordered(column, op, value)
}

function ordered(column: RawBuilder<unknown>, op: Comparison['op'], value: string): Condition {
  const signs = { eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' } as const
  if (!(op in signs)) throw refusal()
  return sql<SqlBool>`${column} ${sql.raw(signs[op as keyof typeof signs])} ${value} COLLATE NOCASE`
}

/** The condition for active users: in a group by the identity, in the instance by the account. */
export const ACTIVE_IN_GROUP = sql`i.active`

export const ACTIVE_IN_INSTANCE = sql`u.state IN ('active', 'deactivated')`
