import { sql, type RawBuilder } from 'kysely'

import type { IssuableTables } from '../issuable.ts'

/** The order and the limits of a page. */
export interface IssuablePage {
  readonly order_by: string
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

const MILESTONE_DUE = '(SELECT m.due_date FROM milestones m WHERE m.id = i.milestone_id)'

/** The highest priority that the project gives to one of the labels. */
function labelPriority({ labels, key }: IssuableTables): string {
  return `(SELECT min(r.priority) FROM ${labels} x JOIN label_priorities r ON r.label_id = x.label_id
    WHERE x.${key} = i.id AND r.project_id = i.project_id)`
}

/**
 * The position of rows without a value: always `last`, or `reversed`: last in ascending and first in descending order.
 */
type Nulls = 'last' | 'reversed'

/**
 * Returns the sort expressions. `relative_position` is reversed as a whole; the other orders keep rows without a value
 * last.
 */
function expressionsOf(tables: IssuableTables, order: string): { text: string; nulls?: Nulls }[] {
  const issueOnly = (column: string) => (tables.table === 'issues' ? `i.${column}` : 'NULL')
  switch (order) {
    case 'updated_at':
      return [{ text: 'i.updated_at' }]
    case 'merged_at':
      return [{ text: tables.table === 'merge_requests' ? 'i.merged_at' : 'NULL', nulls: 'last' }]
    case 'title':
      return [{ text: 'i.title' }]
    case 'due_date':
      return [{ text: issueOnly('due_date'), nulls: 'last' }]
    case 'weight':
      return [{ text: issueOnly('weight'), nulls: 'last' }]
    case 'relative_position':
      return [{ text: issueOnly('relative_position'), nulls: 'reversed' }]
    case 'popularity':
      return [{ text: 'i.upvotes' }]
    case 'milestone_due':
      return [{ text: MILESTONE_DUE, nulls: 'last' }]
    case 'label_priority':
      return [{ text: labelPriority(tables), nulls: 'last' }]
    case 'priority':
      return [
        { text: MILESTONE_DUE, nulls: 'last' },
        { text: labelPriority(tables), nulls: 'last' },
      ]
    default:
      return [{ text: 'i.created_at' }]
  }
}

/** Returns the order of a page as SQL. Rows with equal values are ordered by ID. */
export function orderOf(tables: IssuableTables, page: IssuablePage): RawBuilder<unknown> {
  const direction = page.sort === 'asc' ? 'ASC' : 'DESC'
  const parts = expressionsOf(tables, page.order_by).map(({ text, nulls }) => {
    if (nulls === undefined) return `${text} ${direction}`
    const end = nulls === 'reversed' && direction === 'DESC' ? 'FIRST' : 'LAST'
    return `${text} ${direction} NULLS ${end}`
  })
  return sql.raw([...parts, `i.id ${direction}`].join(', '))
}

/**
 * Returns the name of the index for an order, if there is one. `of` selects the index of one project or all, of one
 * state or all.
 */
export function indexOf(
  { table }: IssuableTables,
  order: string,
  of: { readonly project: boolean; readonly state: boolean },
): string | undefined {
  const name = (rest: string): string => `${table}_${rest}`
  switch (order) {
    case 'created_at':
      if (of.project) return name(of.state ? 'created' : 'of_project')
      return name(of.state ? 'state_created' : 'all_created')
    case 'updated_at':
      return name(of.project ? 'updated' : 'all_updated')
    default:
      return of.project ? ofProject(table, order) : undefined
  }
}

/** Returns the index for orders that are indexed only within one project. */
function ofProject(table: IssuableTables['table'], order: string): string | undefined {
  if (order === 'title' || order === 'popularity') return `${table}_${order}`
  if (table !== 'issues') return undefined
  const byName: Readonly<Record<string, string>> = {
    due_date: 'issues_due_date',
    weight: 'issues_weight',
    relative_position: 'issues_position',
  }
  return byName[order]
}
