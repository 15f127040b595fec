import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { q } from '../../../db/database.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import { tablesOf, type IssuableName } from '../issuable.ts'
import type { IssuableFilter } from './filter.ts'
import { indexOf, orderOf, type IssuablePage } from './order.ts'
import type { Condition, Part } from './part.ts'
import { placeParts, type Place } from './place.ts'
import { filterParts } from './where.ts'

/** A list as asked for. */
export interface IssuableQuery {
  readonly kind: IssuableName
  readonly place: Place
  readonly filter: IssuableFilter
  /** What the kind filters by beside that. */
  readonly parts?: readonly Part[]
}

/** With more matches than this, walking along the order until the page is full beats gathering and sorting them all. */
const MANY = 2000

/** The state, unless all are wanted. */
function stateOf({ state }: IssuableFilter): string | undefined {
  return state === undefined || state === 'all' ? undefined : state
}

function partsOf(ctx: Ctx, { kind, place, filter, parts = [] }: IssuableQuery): Part[] {
  return [...filterParts(ctx, kind, place, filter), ...parts, ...placeParts(ctx, kind, place)]
}

/** The part that finds the fewest rows; those that cannot be asked how many come last. */
function narrowest(ctx: Ctx, parts: readonly Part[]): Part | undefined {
  let best: { part: Part; count: number } | undefined
  for (const part of parts) {
    if (!part.find) continue
    const count = part.probe ? boundedCount(ctx.db, part.probe) : Infinity
    if (!best || count < best.count) best = { part, count }
  }
  return best?.part
}

/** All parts as one condition: one of them leads, the others test what it finds. */
function conditionOf(
  parts: readonly Part[],
  leading: Part | undefined,
  state: Condition | undefined,
): Condition {
  const tests = parts.map((part) => (part === leading ? part.find! : part.check))
  const all = [...(state ? [state] : []), ...tests]
  return all.length === 0 ? sql<SqlBool>`1` : sql.join(all, sql` AND `)
}

/** Everything that a list finds, as one condition on alias `i` whose narrowest part leads. */
export function issuableWhere(ctx: Ctx, query: IssuableQuery): Condition {
  const parts = partsOf(ctx, query)
  const leading = narrowest(ctx, parts)
  const state = stateOf(query.filter)
  return conditionOf(
    parts,
    leading,
    state === undefined ? undefined : stateCondition(state, leading, query.place),
  )
}

/** The state is part of the index of a project; beside anything narrower it is tested. */
function stateCondition(state: string, leading: Part | undefined, place: Place): Condition {
  const isIndexed = leading === undefined || ('project' in place && leading.probe === undefined)
  return isIndexed ? sql<SqlBool>`i.state = ${state}` : sql<SqlBool>`+i.state = ${state}`
}

/**
 * One page of issues or merge requests that the actor may see. How many match decides how they are found: few are
 * gathered by the narrowest filter and sorted, many are met soon enough on a walk along the index of the order.
 */
export function findIssuables<Row>(ctx: Ctx, query: IssuableQuery, page: IssuablePage): Rows<Row> {
  const { kind, place, filter } = query
  const tables = tablesOf(kind)
  const table = sql.ref(tables.table)
  const where = issuableWhere(ctx, query)
  const total = boundedCount(ctx.db, sql`SELECT 1 FROM ${table} i WHERE ${where}`)
  const of = { project: 'project' in place, state: stateOf(filter) !== undefined }
  const walk = total > MANY ? indexOf(tables, page.order_by, of) : undefined
  const order = orderOf(tables, page)
  const ids = walk
    ? sql`SELECT i.id FROM ${table} i INDEXED BY ${sql.ref(walk)} WHERE ${walking(ctx, query)}`
    : sql`SELECT i.id FROM ${table} i WHERE ${where}`
  const window: RawBuilder<Row> = sql<Row>`SELECT i.* FROM ${table} i WHERE i.id IN (
    ${ids} ORDER BY ${order} LIMIT ${page.limit} OFFSET ${page.offset}) ORDER BY ${order}`
  return { rows: selectAll(ctx.db, window), total }
}

/** The condition for a walk along the order: the place and state may use its index, everything else is tested. */
function walking(ctx: Ctx, query: IssuableQuery): Condition {
  const parts = partsOf(ctx, query)
  const inProject = 'project' in query.place
  const leading = inProject ? parts.find((part) => part.find && !part.probe) : undefined
  const state = stateOf(query.filter)
  return conditionOf(parts, leading, state === undefined ? undefined : sql<SqlBool>`i.state = ${state}`)
}

/** How many of a list are in each of some states; remembered until the next write. */
export function countByState(
  ctx: Ctx,
  query: IssuableQuery,
  states: readonly string[],
): Record<string, number> {
  const table = sql.ref(tablesOf(query.kind).table)
  const count = (state: string): number => {
    const where = issuableWhere(ctx, { ...query, filter: { ...query.filter, state } })
    return exactCount(ctx.db, sql`SELECT count(*) AS count FROM ${table} i WHERE ${where}`)
  }
  return Object.fromEntries(states.map((state) => [state, count(state)]))
}

function exactCount(db: Ctx['db'], query: RawBuilder<unknown>): number {
  const { sql: text, parameters } = query.compile(q)
  return db.remember(`count:${text}:${JSON.stringify(parameters)}`, () => {
    return db.one<{ count: number }>(text, ...parameters)!.count
  })
}
