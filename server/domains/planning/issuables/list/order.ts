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

/** Returns the SQL for the highest priority that the project has set for one of the labels. */
function labelPriority({ labels, key }: IssuableTables): string {
  return `(SELECT min(r.priority) FROM ${labels} x JOIN label_priorities r ON r.label_id = x.label_id
    WHERE x.${key} = i.id AND r.project_id = i.project_id)`
}

/** The position of rows without a value: `last` in both directions, or `reversed`, which is first in descending order. */
type Nulls = 'last' | 'reversed'

/**
 * Returns the sort expressions of an order. Rows without a value come last; only in the descending order of
 * `relative_position` they come first.
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
  const terms = expressionsOf(tables, page.order_by).map(({ text, nulls }) => {
    if (nulls === undefined) return `${text} ${direction}`
    const end = nulls === 'reversed' && direction === 'DESC' ? 'FIRST' : 'LAST'
    return `${text} ${direction} NULLS ${end}`
  })
  return sql.raw([...terms, `i.id ${direction}`].join(', '))
}

/**
 * Returns the name of the index for an order, if there is one. `within` says whether the list is limited to one project
 * and to one state.
 */
export function indexOf(
  { table }: IssuableTables,
  order: string,
  within: { readonly project: boolean; readonly state: boolean },
): string | undefined {
  const name = (rest: string): string => `${table}_${rest}`
  switch (order) {
    case 'created_at':
      if (within.project) return name(within.state ? 'created' : 'of_project')
      return name(within.state ? 'state_created' : 'all_created')
    case 'updated_at':
      return name(within.project ? 'updated' : 'all_updated')
    default:
      return within.project ? indexInProject(table, order) : undefined
  }
}

/** Returns the name of the index for an order that is indexed only within one project. */
function indexInProject(table: IssuableTables['table'], order: string): string | undefined {
  if (order === 'title' || order === 'popularity') return `${table}_${order}`
  if (table !== 'issues') return undefined
  const byName: Readonly<Record<string, string>> = {
    due_date: 'issues_due_date',
    weight: 'issues_weight',
    relative_position: 'issues_position',
  }
  return byName[order]
}
