import type { Ctx } from '../../../../ctx.ts'
import type { Paging, Rows } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import { countByState, findIssuables, type IssuableQuery } from '../../issuables/list/find.ts'
import { never } from '../../issuables/list/part.ts'
import type { IssuableScope } from '../../issuables/list/scope.ts'
import type { IssueRow } from '../issue.ts'
import { showIssues, type IssueView } from '../view.ts'
import type { GivenFilter } from './params.ts'

/** Where a list looks, and from where its references are seen. */
export interface ListScope {
  readonly place: IssuableScope
  readonly relative_to: string | undefined
}

function queryOf(scope: IssuableScope, filter: GivenFilter): IssuableQuery {
  const { epic_id, iteration_id, ...rest } = filter
  // Nothing belongs to an epic or an iteration.
  const isElsewhere = [epic_id, iteration_id].some((id) => id !== undefined && id !== 'None')
  return { kind: 'Issue', place: scope, filter: rest, parts: isElsewhere ? [never] : [] }
}

/** One page of the issues that the actor may see. */
export function findIssues(
  ctx: Ctx,
  { place, relative_to }: ListScope,
  filter: GivenFilter & { readonly with_labels_details?: boolean },
  paging: Paging,
): Rows<IssueView> {
  const { with_labels_details } = filter
  const { rows, total } = findIssuables<IssueRow>(ctx, queryOf(place, filter), paging)
  return { rows: showIssues(ctx, rows, { relative_to, with_labels_details }), total }
}

/** How many issues there are in each state. */
export function countIssues(ctx: Ctx, scope: IssuableScope, filter: GivenFilter) {
  const counts = countByState(ctx, queryOf(scope, filter), ['opened', 'closed'])
  return { opened: counts['opened']!, closed: counts['closed']! }
}

/** Over the whole instance, callers see their own issues unless they ask for all. Throws 401 for nobody's own. */
export function instanceScope(ctx: Ctx, scope: string | undefined): string {
  const wanted = scope ?? 'created_by_me'
  if (wanted !== 'all' && ctx.actor.kind === 'anonymous') throw fail('unauthorized')
  return wanted
}
