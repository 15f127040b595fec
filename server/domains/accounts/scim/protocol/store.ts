import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Filter } from 'scim2-parse-filter'
import { fail } from '../../../../lib/fail.ts'

export type Condition = RawBuilder<SqlBool>

type Comparison = Extract<Filter, { compValue: unknown }>

/** The given name is the first word of a user's name, the family name is the rest. */
const GIVEN_NAME = sql`CASE WHEN instr(u.name, ' ') > 0 THEN substr(u.name, 1, instr(u.name, ' ') - 1) ELSE u.name END`

const FAMILY_NAME = sql`CASE WHEN instr(u.name, ' ') > 0 THEN substr(u.name, instr(u.name, ' ') + 1) ELSE '' END`

/**
 * The columns of filterable attributes. A map, because a client may send `constructor` or another property that every
 * object has.
 */
const TEXT_COLUMNS: ReadonlyMap<string, RawBuilder<unknown>> = new Map([
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

const TIME_COLUMNS: ReadonlyMap<string, RawBuilder<unknown>> = new Map([
  ['meta.created', sql`i.created_at`],
  ['meta.lastmodified', sql`i.updated_at`],
])

export const refusal = () => fail('precondition_failed', 'Unsupported Filter')

/** Returns the name of an attribute in lower case, without its schema. */
export function attributeOf(path: string): string {
  return path.replace(/^urn:ietf:params:scim:schemas:core:2\.0:User:/i, '').toLowerCase()
}

/** Returns a parsed filter as a condition. `prefix` is the path of the attribute that contains the filtered ones. */
export function conditionOf(filter: Filter, prefix: string, active: RawBuilder<unknown>): Condition {
  if ('filters' in filter) {
    const conditions = filter.filters.map((subFilter) => conditionOf(subFilter, prefix, active))
    return sql<SqlBool>`(${sql.join(conditions, filter.op === 'and' ? sql` AND ` : sql` OR `)})`
  }
  if ('valFilter' in filter) return conditionOf(filter.valFilter, `${attributeOf(filter.attrPath)}.`, active)
  if ('filter' in filter) return sql<SqlBool>`NOT coalesce(${conditionOf(filter.filter, prefix, active)}, 0)`
  const name = prefix + attributeOf(filter.attrPath)
  if ('compValue' in filter) return comparison(name, filter, active)
  return isPresent(name)
}

function isPresent(name: string): Condition {
  const text = TEXT_COLUMNS.get(name)
  if (text) return sql<SqlBool>`${text} <> ''`
  if (TIME_COLUMNS.has(name) || name === 'active' || name === 'name' || name === 'emails.primary')
    return sql<SqlBool>`1`
  // Unsupported attributes are never present, but a filter may name them.
  return sql<SqlBool>`0`
}

function comparison(name: string, filter: Comparison, active: RawBuilder<unknown>): Condition {
  const { op, compValue: value } = filter
  if (name === 'active') return booleanComparison(active, filter)
  if (name === 'emails.primary') return booleanComparison(sql`1`, filter)
  const time = TIME_COLUMNS.get(name)
  if (time && typeof value === 'string' && !Number.isNaN(Date.parse(value)))
    return orderComparison(time, op, new Date(value).toISOString())
  const column = TEXT_COLUMNS.get(name)
  if (!column || typeof value !== 'string') throw refusal()
  // Identity providers often use the email address as the user name.
  if (name === 'username' && op === 'eq' && value.includes('@'))
    return sql<SqlBool>`(u.username = ${value} OR u.email = ${value})`
  return textComparison(column, op, value)
}

function booleanComparison(column: RawBuilder<unknown>, { op, compValue }: Comparison): Condition {
  const expected = String(compValue).toLowerCase()
  if ((op !== 'eq' && op !== 'ne') || (expected !== 'true' && expected !== 'false')) throw refusal()
  return sql<SqlBool>`(${column}) = ${(expected === 'true') === (op === 'eq') ? 1 : 0}`
}

function textComparison(column: RawBuilder<unknown>, op: Comparison['op'], value: string): Condition {
  const like = (pattern: string) => sql<SqlBool>`${column} LIKE ${pattern} ESCAPE '\\'`
  const escaped = value.replace(/[\\%_]/g, '\\$&')
  if (op === 'eq') return sql<SqlBool>`${column} = ${value} COLLATE NOCASE`
  if (op === 'ne') return sql<SqlBool>`${column} <> ${value} COLLATE NOCASE`
  if (op === 'co') return like(`%${escaped}%`)
  if (op === 'sw') return like(`${escaped}%`)
  if (op === 'ew') return like(`%${escaped}`)
  return orderComparison(column, op, value)
}

function orderComparison(column: RawBuilder<unknown>, op: Comparison['op'], value: string): Condition {
  const signs = { eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' } as const
  if (!(op in signs)) throw refusal()
  return sql<SqlBool>`${column} ${sql.raw(signs[op as keyof typeof signs])} ${value} COLLATE NOCASE`
}

/** The conditions for active users: in a group by the identity, in the instance by the account. */
export const ACTIVE_IN_GROUP = sql`i.active`

export const ACTIVE_IN_INSTANCE = sql`u.state IN ('active', 'deactivated')`
