import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import type { Group } from '../../groups/index.ts'
import { namespaceTreeIds } from '../../namespaces/index.ts'
import {
  findIssuables,
  type IssuableFilter,
  type IssuablePage,
  type IssuableQuery,
} from '../../planning/index.ts'
import { requestCheck } from '../merging/check.ts'
import type { MergeRequestRow } from '../types.ts'
import { requestParts, type RequestFilter } from './store.ts'

/** The filters of lists of merge requests. */
export type ListFilter = Omit<IssuableFilter, 'not'> &
  RequestFilter & {
    readonly not?: IssuableFilter['not'] & RequestFilter['not']
    readonly with_merge_status_recheck?: boolean | undefined
  }

/** The projects that a list covers. */
export type ListScope = IssuableQuery['scope']

/** Returns the scope of a group and its subgroups. */
export function groupScope(ctx: Ctx, owner: Group, options: { readonly non_archived: boolean }): ListScope {
  return { namespace_ids: namespaceTreeIds(ctx.db, owner.id), ...options }
}

/** Lists one page of the merge requests that the actor may see. */
export function listMergeRequests(
  ctx: Ctx,
  scope: ListScope,
  filter: ListFilter,
  page: IssuablePage,
): Rows<MergeRequestRow> {
  // `requestParts` filters by reviewer.
  const filterScope = filter.scope === 'reviews_for_me' ? 'all' : filter.scope
  const query = {
    kind: 'MergeRequest' as const,
    scope,
    filter: { ...filter, scope: filterScope },
    parts: requestParts(ctx, filter),
  }
  const found = findIssuables<MergeRequestRow>(ctx, query, page)
  if (!filter.with_merge_status_recheck) return found
  return { ...found, rows: found.rows.map((row) => requestCheck(ctx, row)) }
}
