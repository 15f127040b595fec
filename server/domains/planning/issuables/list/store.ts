import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../../ctx.ts'
import { jsonList, q } from '../../../../db/database.ts'
import { boundedCount, selectAll } from '../../../../db/lists.ts'
import type { Rows } from '../../../../db/rows.ts'
import { tablesOf, type IssuableName } from '../issuable.ts'
import { type IssuableFilter, checkOnly, type Condition, type Part } from './filter.ts'
import { indexOf, orderOf, type IssuablePage } from './order.ts'
import { scopeParts, type IssuableScope } from './store-where.ts'
import { filterParts } from './where.ts'

/** A list with its scope and filters. */
export interface IssuableQuery {
  readonly kind: IssuableName
  readonly scope: IssuableScope
  readonly filter: IssuableFilter
  /** Filters that only issues or only merge requests have. */
  readonly parts?: readonly Part[]
}

/** If a filter has at most this many matches, the query reads and sorts all of them. */
const FEW = 3000

/** Reading one row at a random position costs as much as this many steps along an index. */
const STEPS_PER_ROW = 3

/** Largest total that a count returns exactly. */
const COUNTED = 10_000

/** The state to filter by. Undefined for all states. */
function stateOf({ state }: IssuableFilter): string | undefined {
  return state === undefined || state === 'all' ? undefined : state
}

function partsOf(ctx: Ctx, { kind, scope, filter, parts = [] }: IssuableQuery): Part[] {
  return [...filterParts(ctx, kind, scope, filter), ...parts, ...scopeParts(ctx, kind, scope)]
}

/** Returns the filter with the fewest matches and their number. Filters without `probe` come last. */
function narrowest(ctx: Ctx, parts: readonly Part[]): { part: Part; count: number } | undefined {
  let best: { part: Part; count: number } | undefined
  for (const part of parts) {
    if (!part.find) continue
    const count = part.probe ? boundedCount(ctx.db, part.probe) : Infinity
    if (!best || count < best.count) best = { part, count }
  }
  return best
}

/** Joins all filters into one condition. The leading one finds rows, the others check them. */
function conditionOf(
  parts: readonly Part[],
  leading: Part | undefined,
  state: Condition | undefined,
): Condition {
  const tests = parts.map((part) => (part === leading ? part.find! : part.check))
  const all = [...(state ? [state] : []), ...tests]
  return all.length === 0 ? sql<SqlBool>`1` : sql.join(all, sql` AND `)
}

/** Joins all filters of a list into one condition on alias `i`. The filter with the fewest matches leads. */
export function issuableWhere(ctx: Ctx, query: IssuableQuery): Condition {
  const parts = partsOf(ctx, query)
  return conditionLedBy(query, parts, narrowest(ctx, parts)?.part)
}

function conditionLedBy(query: IssuableQuery, parts: readonly Part[], leading: Part | undefined): Condition {
  const state = stateOf(query.filter)
  const condition = state === undefined ? undefined : stateCondition(state, leading, query.scope)
  const rest = parts.filter((part) => part !== leading && !part.byId)
  const byId = parts.filter((part) => part !== leading && part.byId)
  if (leading?.ids && byId.length > 0) {
    // Filters that need only the ID run before the rows are read.
    const inside = conditionOf(byId, undefined, undefined)
    const narrowed = sql<SqlBool>`i.id IN (SELECT i.id FROM (${leading.ids}) i WHERE ${inside})`
    return conditionOf([checkOnly(narrowed), ...rest], undefined, condition)
  }
  if (!leading?.leadsToState || byId.length === 0 || rest.length === 0)
    return conditionOf(parts, leading, condition)
  // The inner query needs only an index. Rows are read only for the IDs that it finds.
  const table = sql.ref(tablesOf(query.kind).table)
  const inside = conditionOf([leading, ...byId], leading, condition)
  const narrowed = sql<SqlBool>`i.id IN (SELECT i.id FROM ${table} i WHERE ${inside})`
  return conditionOf([checkOnly(narrowed), ...rest], undefined, undefined)
}

/**
 * Makes the condition for the state. It uses an index after a project or author, and tests each row after other
 * filters.
 */
function stateCondition(state: string, leading: Part | undefined, scope: IssuableScope): Condition {
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
  const parts = partsOf(ctx, query)
  const lead = narrowest(ctx, parts)
  const where = conditionLedBy(query, parts, lead?.part)
  const gathered = sql<{ id: number }>`SELECT i.id FROM ${table} i WHERE ${where} ORDER BY ${order}`
  if (lead && lead.count <= FEW) {
    const ids = selectAll(ctx.db, gathered).map((row) => row.id)
    const wanted = ids.slice(page.offset, page.offset + page.limit)
    return { rows: rowsOf<Row>(ctx, query.kind, wanted), total: ids.length }
  }
  const total = boundedCount(ctx.db, sql`SELECT 1 FROM ${table} i WHERE ${where}`)
  if (total <= COUNTED && total <= page.offset) return { rows: [], total }
  const walk = walkFor(ctx, query, page, { total, leading: lead?.count ?? Infinity })
  const select = walk
    ? sql<{ id: number }>`SELECT i.id FROM ${table} i INDEXED BY ${sql.ref(walk)}
        WHERE ${walking(ctx, query)} ORDER BY ${order}`
    : gathered
  const window = sql<{ id: number }>`${select} LIMIT ${page.limit} OFFSET ${page.offset}`
  const ids = selectAll(ctx.db, window).map((row) => row.id)
  return { rows: rowsOf<Row>(ctx, query.kind, ids), total }
}

/** Reads the rows with these IDs, in the order of the IDs. */
function rowsOf<Row>(ctx: Ctx, kind: IssuableName, ids: readonly number[]): Row[] {
  const sqlText = `SELECT i.* FROM json_each(?) wanted JOIN ${tablesOf(kind).table} i ON i.id = wanted.value
    ORDER BY wanted.key`
  return ids.length === 0 ? [] : ctx.db.many<Row>(sqlText, jsonList(ids))
}

/**
 * Returns the index to follow for a page. Undefined if it is cheaper to read all matches of the leading filter. The
 * estimate assumes that matches are spread evenly over the table.
 */
function walkFor(
  ctx: Ctx,
  { kind, scope, filter }: IssuableQuery,
  page: IssuablePage,
  { total, leading }: { total: number; leading: number },
): string | undefined {
  const tables = tablesOf(kind)
  const of = { project: 'project' in scope, state: stateOf(filter) !== undefined }
  const walk = indexOf(tables, page.order_by, of)
  const { last } = ctx.db.one<{ last: number | null }>(`SELECT max(id) AS last FROM ${tables.table}`)!
  const steps = ((page.offset + page.limit) * (last ?? 0)) / Math.max(total, 1)
  return steps < leading * STEPS_PER_ROW ? walk : undefined
}

/**
 * Makes the condition for following the index of the order. Only the project and state may use that index; other
 * filters check each row.
 */
function walking(ctx: Ctx, query: IssuableQuery): Condition {
  const parts = partsOf(ctx, query)
  const inProject = 'project' in query.scope
  const leading = inProject ? parts.find((part) => part.find && !part.probe) : undefined
  const state = stateOf(query.filter)
  return conditionOf(parts, leading, state === undefined ? undefined : sql<SqlBool>`i.state = ${state}`)
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
