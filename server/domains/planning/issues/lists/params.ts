import type { Ctx } from '../../../../ctx.ts'
import type { Paging, Rows } from '../../../../db/rows.ts'
import { exclusive } from '../../../../http/endpoint.ts'
import { bool, choice, hash } from '../../../../http/params.ts'
import { page } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import {
  EXCLUSIVE,
  intNoneAny,
  issuableFilterParams,
  issuableOrders,
  notParams,
  DUE,
} from '../../issuables/list/params.ts'
import { type IssuableFilter, matchNothing } from '../../issuables/list/filter.ts'
import type { IssuableScope } from '../../issuables/list/store-where.ts'
import { countByState, findIssuables, type IssuableQuery } from '../../issuables/list/store.ts'
import { Issue } from '../entity.ts'
import { ISSUE_TYPES, type IssueRow } from '../issue.ts'
import { showIssues, type IssueView } from '../view.ts'

/** The filters that only issues have (spec core 6.3). */
const fields = {
  confidential: bool().optional().describe('Filter by confidentiality'),
  issue_type: choice(...ISSUE_TYPES)
    .optional()
    .describe('Filter by issue type'),
  due_date: choice(...DUE)
    .optional()
    .describe('Filter by due date: `0` (none), `any`, `today`, `tomorrow`, `overdue`, `week`, `month` …'),
  health_status: choice('on_track', 'needs_attention', 'at_risk')
    .optional()
    .describe('Filter by health status'),
  epic_id: intNoneAny('epic')
    .optional()
    .describe('Filter by epic ID. Only `None` finds issues, because there are no epics'),
  iteration_id: intNoneAny('iteration')
    .optional()
    .describe('Filter by iteration ID. Only `None` finds issues, because there are no iterations'),
}

/** The filters of lists and statistics of issues, without the state. */
export const filterParams = {
  ...issuableFilterParams,
  ...fields,
  not: hash({ ...notParams, issue_type: choice(...ISSUE_TYPES).optional() })
    .optional()
    .describe('Filters that results must not match'),
}

/** The filters of lists of issues. */
export const listParams = {
  state: choice('opened', 'closed', 'all').default('all').describe('Filter by state'),
  ...filterParams,
}

/** Filters that exclude each other. */
export const parameterRules = EXCLUSIVE.map((names) => exclusive(...names))

/** The page of a list of issues. */
export const issuePage = page(Issue, { order_by: issuableOrders, sort: 'desc' })

/** The filters of a request, under the names of their parameters. */
interface FilterInput extends IssuableFilter {
  readonly epic_id?: number | 'None' | 'Any' | undefined
  readonly iteration_id?: number | 'None' | 'Any' | undefined
}

/** The scope of a list, and the full path that references are relative to. */
interface ListScope {
  readonly scope: IssuableScope
  readonly relative_to: string | undefined
}

function queryOf(scope: IssuableScope, filter: FilterInput): IssuableQuery {
  const { epic_id, iteration_id, ...rest } = filter
  // There are no epics and iterations, so no issue belongs to one.
  const matchesNothing = [epic_id, iteration_id].some((id) => id !== undefined && id !== 'None')
  return { kind: 'Issue', scope, filter: rest, filters: matchesNothing ? [matchNothing] : [] }
}

/** Returns one page of the issues that the actor may see. */
export function findIssues(
  ctx: Ctx,
  { scope, relative_to }: ListScope,
  filter: FilterInput & { readonly with_labels_details?: boolean },
  paging: Paging,
): Rows<IssueView> {
  const { with_labels_details } = filter
  const { rows, total } = findIssuables<IssueRow>(ctx, queryOf(scope, filter), paging)
  return { rows: showIssues(ctx, rows, { relative_to, with_labels_details }), total }
}

/** Counts the issues in each state. */
export function countIssues(ctx: Ctx, scope: IssuableScope, filter: FilterInput) {
  const counts = countByState(ctx, queryOf(scope, filter), ['opened', 'closed'])
  return { opened: counts['opened']!, closed: counts['closed']! }
}

/**
 * Returns the value of `scope` for a list of the whole instance; the default is `created_by_me`. Throws 401 for an
 * anonymous caller, unless it is `all`.
 */
export function instanceScope(ctx: Ctx, scope: string | undefined): string {
  const effective = scope ?? 'created_by_me'
  if (effective !== 'all' && ctx.actor.kind === 'anonymous') throw fail('unauthorized')
  return effective
}
