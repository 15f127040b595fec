import type { Ctx } from '../../../../ctx.ts'
import type { Paging, Rows } from '../../../../db/rows.ts'
import { fail } from '../../../../lib/fail.ts'
import { countByState, findIssuables, type IssuableQuery } from '../../issuables/list/store.ts'
import { never } from '../../issuables/list/part.ts'
import type { IssuableScope } from '../../issuables/list/store-where.ts'
import type { IssueRow } from '../issue.ts'
import { showIssues, type IssueView } from '../view.ts'
import type { GivenFilter } from './params.ts'

/** The scope of a list, and the full path that references are relative to. */
export interface ListScope {
  readonly scope: IssuableScope
  readonly relative_to: string | undefined
}

function queryOf(scope: IssuableScope, filter: GivenFilter): IssuableQuery {
  const { epic_id, iteration_id, ...rest } = filter
  // Epics and iterations do not exist here, so no issue belongs to one.
  const isElsewhere = [epic_id, iteration_id].some((id) => id !== undefined && id !== 'None')
  return { kind: 'Issue', scope: scope, filter: rest, parts: isElsewhere ? [never] : [] }
}

/** Returns one page of the issues that the actor may see. */
export function findIssues(
  ctx: Ctx,
  { scope, relative_to }: ListScope,
  filter: GivenFilter & { readonly with_labels_details?: boolean },
  paging: Paging,
): Rows<IssueView> {
  const { with_labels_details } = filter
  const { rows, total } = findIssuables<IssueRow>(ctx, queryOf(scope, filter), paging)
  return { rows: showIssues(ctx, rows, { relative_to, with_labels_details }), total }
}

/** Counts the issues in each state. */
export function countIssues(ctx: Ctx, scope: IssuableScope, filter: GivenFilter) {
  const counts = countByState(ctx, queryOf(scope, filter), ['opened', 'closed'])
  return { opened: counts['opened']!, closed: counts['closed']! }
}

/**
 * Returns the scope of a list of the whole instance: by default the actor's own issues. Throws 401 for the own issues
 * of an anonymous caller.
 */
export function instanceScope(ctx: Ctx, scope: string | undefined): string {
  const wanted = scope ?? 'created_by_me'
  if (wanted !== 'all' && ctx.actor.kind === 'anonymous') throw fail('unauthorized')
  return wanted
}
