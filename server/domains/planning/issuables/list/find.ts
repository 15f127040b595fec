import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../../ctx.ts'
import { jsonList, q } from '../../../../db/database.ts'
import { boundedCount, selectAll } from '../../../../db/lists.ts'
import type { Rows } from '../../../../db/rows.ts'
import { tablesOf, type IssuableName } from '../issuable.ts'
import type { IssuableFilter } from './filter.ts'
import { indexOf, orderOf, type IssuablePage } from './order.ts'
import { checkOnly, type Condition, type Part } from './part.ts'
import { placeParts, type IssuableScope } from './scope.ts'
import { filterParts } from './where.ts'

/** A list as asked for. */
export interface IssuableQuery {
  readonly kind: IssuableName
  readonly place: IssuableScope
  readonly filter: IssuableFilter
  /** What the kind filters by beside that. */
  readonly parts?: readonly Part[]
}

/** A filter that finds no more than this is gone through as a whole, which counts and orders in one go. */
const FEW = 3000
/** Steps along an index that cost as much as reading one row at another place. */
const STEPS_PER_ROW = 3
/** Up to here a count says how many there are. */
const COUNTED = 10_000

/** The state, unless all are wanted. */
function stateOf({ state }: IssuableFilter): string | undefined {
  return state === undefined || state === 'all' ? undefined : state
}

function partsOf(ctx: Ctx, { kind, place, filter, parts = [] }: IssuableQuery): Part[] {
  return [...filterParts(ctx, kind, place, filter), ...parts, ...placeParts(ctx, kind, place)]
}

/** The part that finds the fewest rows, and how many; those that cannot be asked how many come last. */
function narrowest(ctx: Ctx, parts: readonly Part[]): { part: Part; count: number } | undefined {
  let best: { part: Part; count: number } | undefined
  for (const part of parts) {
    if (!part.find) continue
    const count = part.probe ? boundedCount(ctx.db, part.probe) : Infinity
    if (!best || count < best.count) best = { part, count }
  }
  return best
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
  return leadBy(query, parts, narrowest(ctx, parts)?.part)
}

function leadBy(query: IssuableQuery, parts: readonly Part[], leading: Part | undefined): Condition {
  const state = stateOf(query.filter)
  const condition = state === undefined ? undefined : stateCondition(state, leading, query.place)
  const rest = parts.filter((part) => part !== leading && !part.byId)
  const byId = parts.filter((part) => part !== leading && part.byId)
  if (leading?.ids && byId.length > 0) {
    // The checks of ids alone come before the rows.
    const inside = conditionOf(byId, undefined, undefined)
    const narrowed = sql<SqlBool>`i.id IN (SELECT i.id FROM (${leading.ids}) i WHERE ${inside})`
    return conditionOf([checkOnly(narrowed), ...rest], undefined, condition)
  }
  if (!leading?.leadsToState || byId.length === 0 || rest.length === 0)
    return conditionOf(parts, leading, condition)
  // An index alone tells which ids are left; only their rows are read.
  const table = sql.ref(tablesOf(query.kind).table)
  const inside = conditionOf([leading, ...byId], leading, condition)
  const narrowed = sql<SqlBool>`i.id IN (SELECT i.id FROM ${table} i WHERE ${inside})`
  return conditionOf([checkOnly(narrowed), ...rest], undefined, undefined)
}

/** The state goes on in the index of a project or author; beside anything else it is tested. */
function stateCondition(state: string, leading: Part | undefined, scope: IssuableScope): Condition {
  const inProject = 'project' in scope && leading?.probe === undefined
  const isIndexed = leading === undefined || leading.leadsToState || inProject
  return isIndexed ? sql<SqlBool>`i.state = ${state}` : sql<SqlBool>`+i.state = ${state}`
}

/**
 * One page of issues or merge requests that the actor may see. How many rows a filter finds decides how the page is put
 * together: few are gathered and sorted, many are met soon enough on a walk along the index of the order.
 */
export function findIssuables<Row>(ctx: Ctx, query: IssuableQuery, page: IssuablePage): Rows<Row> {
  const tables = tablesOf(query.kind)
  const table = sql.ref(tables.table)
  const order = orderOf(tables, page)
  const parts = partsOf(ctx, query)
  const lead = narrowest(ctx, parts)
  const where = leadBy(query, parts, lead?.part)
  const gathered = sql<{ id: number }>`SELECT i.id FROM ${table} i WHERE ${where} ORDER BY ${order}`
  if (lead && lead.count <= FEW) {
    const ids = selectAll(ctx.db, gathered).map((row) => row.id)
    const wanted = ids.slice(page.offset, page.offset + page.limit)
    return { rows: rowsOf<Row>(ctx, query.kind, wanted), total: ids.length }
  }
  const total = boundedCount(ctx.db, sql`SELECT 1 FROM ${table} i WHERE ${where}`)
  if (total <= COUNTED && total <= page.offset) return { rows: [], total }
  const walk = walkFor(ctx, query, page, { total, leading: lead?.count ?? Infinity })
  const found = walk
    ? sql<{ id: number }>`SELECT i.id FROM ${table} i INDEXED BY ${sql.ref(walk)}
        WHERE ${walking(ctx, query)} ORDER BY ${order}`
    : gathered
  const window = sql<{ id: number }>`${found} LIMIT ${page.limit} OFFSET ${page.offset}`
  const ids = selectAll(ctx.db, window).map((row) => row.id)
  return { rows: rowsOf<Row>(ctx, query.kind, ids), total }
}

/** Whole rows in the order of their ids as given. */
function rowsOf<Row>(ctx: Ctx, kind: IssuableName, ids: readonly number[]): Row[] {
  const sqlText = `SELECT i.* FROM json_each(?) wanted JOIN ${tablesOf(kind).table} i ON i.id = wanted.value
    ORDER BY wanted.key`
  return ids.length === 0 ? [] : ctx.db.many<Row>(sqlText, jsonList(ids))
}

/**
 * The index to walk along for a page; undefined where gathering what the narrowest filter finds is less work. Matches are
 * taken to lie evenly among all rows.
 */
function walkFor(
  ctx: Ctx,
  { kind, place, filter }: IssuableQuery,
  page: IssuablePage,
  { total, leading }: { total: number; leading: number },
): string | undefined {
  const tables = tablesOf(kind)
  const of = { project: 'project' in place, state: stateOf(filter) !== undefined }
  const walk = indexOf(tables, page.order_by, of)
  const { last } = ctx.db.one<{ last: number | null }>(`SELECT max(id) AS last FROM ${tables.table}`)!
  const steps = ((page.offset + page.limit) * (last ?? 0)) / Math.max(total, 1)
  return steps < leading * STEPS_PER_ROW ? walk : undefined
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
