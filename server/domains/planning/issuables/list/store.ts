import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../../ctx.ts'
import { jsonList, q } from '../../../../db/database.ts'
import { boundedCount, selectAll } from '../../../../db/lists.ts'
import type { Rows } from '../../../../db/rows.ts'
import { tablesOf, type IssuableName } from '../issuable.ts'
import { type IssuableFilter, checkOnly, type Condition, type SqlFilter } from './filter.ts'
import { indexOf, orderOf, type IssuablePage } from './order.ts'
import { scopeFilters, type IssuableScope } from './store-where.ts'
import { listFilters } from './where.ts'

/** A list with its scope and filters. */
export interface IssuableQuery {
  readonly kind: IssuableName
  readonly scope: IssuableScope
  readonly filter: IssuableFilter
  /** Filters that only issues or only merge requests have. */
  readonly filters?: readonly SqlFilter[]
}

/** The maximum number of matches of a filter that the query reads and sorts completely. */
const MAX_SORTED = 3000

/** The number of steps along an index that cost as much as reading one row at a random position. */
const STEPS_PER_ROW = 3

/** The largest total that a count returns exactly. */
const MAX_EXACT = 10_000

/** Returns the state to filter by. Undefined for all states. */
function stateOf({ state }: IssuableFilter): string | undefined {
  return state === undefined || state === 'all' ? undefined : state
}

function allFilters(ctx: Ctx, { kind, scope, filter, filters = [] }: IssuableQuery): SqlFilter[] {
  return [...listFilters(ctx, kind, scope, filter), ...filters, ...scopeFilters(ctx, kind, scope)]
}

/** Returns the filter with the fewest matches, and their number. A filter without `probe` counts as unlimited. */
function narrowest(
  ctx: Ctx,
  filters: readonly SqlFilter[],
): { filter: SqlFilter; count: number } | undefined {
  let best: { filter: SqlFilter; count: number } | undefined
  for (const filter of filters) {
    if (!filter.find) continue
    const count = filter.probe ? boundedCount(ctx.db, filter.probe) : Infinity
    if (!best || count < best.count) best = { filter, count }
  }
  return best
}

/** Joins all filters into one condition. The leading filter finds rows, the others check them. */
function conditionOf(
  filters: readonly SqlFilter[],
  leading: SqlFilter | undefined,
  state: Condition | undefined,
): Condition {
  const tests = filters.map((filter) => (filter === leading ? filter.find! : filter.check))
  const conditions = [...(state ? [state] : []), ...tests]
  return conditions.length === 0 ? sql<SqlBool>`1` : sql.join(conditions, sql` AND `)
}

/** Joins all filters of a list into one condition on alias `i`. The filter with the fewest matches leads. */
export function issuableWhere(ctx: Ctx, query: IssuableQuery): Condition {
  const filters = allFilters(ctx, query)
  return conditionLedBy(query, filters, narrowest(ctx, filters)?.filter)
}

function conditionLedBy(
  query: IssuableQuery,
  filters: readonly SqlFilter[],
  leading: SqlFilter | undefined,
): Condition {
  const state = stateOf(query.filter)
  const condition = state === undefined ? undefined : stateCondition(state, leading, query.scope)
  const rest = filters.filter((filter) => filter !== leading && !filter.byId)
  const byId = filters.filter((filter) => filter !== leading && filter.byId)
  if (leading?.ids && byId.length > 0) {
    // Filters that need only the ID run before the rows are read.
    const idCondition = conditionOf(byId, undefined, undefined)
    const narrowed = sql<SqlBool>`i.id IN (SELECT i.id FROM (${leading.ids}) i WHERE ${idCondition})`
    return conditionOf([checkOnly(narrowed), ...rest], undefined, condition)
  }
  if (!leading?.leadsToState || byId.length === 0 || rest.length === 0)
    return conditionOf(filters, leading, condition)
  // The inner query needs only an index. Rows are read only for the IDs that it finds.
  const table = sql.ref(tablesOf(query.kind).table)
  const indexCondition = conditionOf([leading, ...byId], leading, condition)
  const narrowed = sql<SqlBool>`i.id IN (SELECT i.id FROM ${table} i WHERE ${indexCondition})`
  return conditionOf([checkOnly(narrowed), ...rest], undefined, undefined)
}

/**
 * Returns the condition for the state. It can use the index of a leading filter by project or author; after other
 * filters, it tests each row.
 */
function stateCondition(state: string, leading: SqlFilter | undefined, scope: IssuableScope): Condition {
  const inProject = 'project' in scope && leading?.probe === undefined
  const isIndexed = leading === undefined || leading.leadsToState || inProject
  return isIndexed ? sql<SqlBool>`i.state = ${state}` : sql<SqlBool>`+i.state = ${state}`
}

/**
 * Returns one page of issues or merge requests that the actor may see. With few matches, the query reads and sorts all
 * of them. With many, it follows the index of the order until the page is full.
 */
export function findIssuables<Row>(ctx: Ctx, query: IssuableQuery, page: IssuablePage): Rows<Row> {
  const tables = tablesOf(query.kind)
  const table = sql.ref(tables.table)
  const order = orderOf(tables, page)
  const filters = allFilters(ctx, query)
  const leading = narrowest(ctx, filters)
  const where = conditionLedBy(query, filters, leading?.filter)
  const matches = sql<{ id: number }>`SELECT i.id FROM ${table} i WHERE ${where} ORDER BY ${order}`
  if (leading && leading.count <= MAX_SORTED) {
    const ids = selectAll(ctx.db, matches).map((row) => row.id)
    const pageIds = ids.slice(page.offset, page.offset + page.limit)
    return { rows: rowsOf<Row>(ctx, query.kind, pageIds), total: ids.length }
  }
  const total = boundedCount(ctx.db, sql`SELECT 1 FROM ${table} i WHERE ${where}`)
  if (total <= MAX_EXACT && total <= page.offset) return { rows: [], total }
  const index = chooseIndex(ctx, query, page, { total, leading: leading?.count ?? Infinity })
  const select = index
    ? sql<{ id: number }>`SELECT i.id FROM ${table} i INDEXED BY ${sql.ref(index)}
        WHERE ${conditionOnIndex(ctx, query)} ORDER BY ${order}`
    : matches
  const selectPage = sql<{ id: number }>`${select} LIMIT ${page.limit} OFFSET ${page.offset}`
  const ids = selectAll(ctx.db, selectPage).map((row) => row.id)
  return { rows: rowsOf<Row>(ctx, query.kind, ids), total }
}

/** Reads the rows with these IDs, in the order of the IDs. */
function rowsOf<Row>(ctx: Ctx, kind: IssuableName, ids: readonly number[]): Row[] {
  const sqlText = `SELECT i.* FROM json_each(?) ids JOIN ${tablesOf(kind).table} i ON i.id = ids.value
    ORDER BY ids.key`
  return ids.length === 0 ? [] : ctx.db.many<Row>(sqlText, jsonList(ids))
}

/**
 * Returns the index of the order if the query should follow it. Undefined if it is cheaper to read all matches of the
 * leading filter. The estimate assumes that matches are spread evenly over the table.
 */
function chooseIndex(
  ctx: Ctx,
  { kind, scope, filter }: IssuableQuery,
  page: IssuablePage,
  { total, leading }: { total: number; leading: number },
): string | undefined {
  const tables = tablesOf(kind)
  const within = { project: 'project' in scope, state: stateOf(filter) !== undefined }
  const index = indexOf(tables, page.order_by, within)
  const { last } = ctx.db.one<{ last: number | null }>(`SELECT max(id) AS last FROM ${tables.table}`)!
  const steps = ((page.offset + page.limit) * (last ?? 0)) / Math.max(total, 1)
  return steps < leading * STEPS_PER_ROW ? index : undefined
}

/**
 * Returns the condition for a query that follows the index of the order. Only the project and the state can use that
 * index; other filters check each row.
 */
function conditionOnIndex(ctx: Ctx, query: IssuableQuery): Condition {
  const filters = allFilters(ctx, query)
  const inProject = 'project' in query.scope
  const leading = inProject ? filters.find((filter) => filter.find && !filter.probe) : undefined
  const state = stateOf(query.filter)
  return conditionOf(filters, leading, state === undefined ? undefined : sql<SqlBool>`i.state = ${state}`)
}

/** Counts the records of a list in each state. Cached until one of its tables changes. */
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
  return db.rememberRows(`count:${text}:${JSON.stringify(parameters)}`, () => {
    return db.one<{ count: number }>(text, ...parameters)!.count
  })
}
