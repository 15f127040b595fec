import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import type { Group } from '../../groups/index.ts'
import { namespaceTreeIds } from '../../namespaces/index.ts'
import {
  checkOnly,
  withLinkedRow,
  matchNothing,
  negate,
  type NumberOrWord,
  type SqlFilter,
  findIssuables,
  type IssuableFilter,
  type IssuablePage,
  type IssuableQuery,
} from '../../planning/index.ts'
import { userByUsername } from '../../users/index.ts'
import { requestCheck } from '../merging/check.ts'
import type { MergeRequestRow } from '../types.ts'
import type { PeopleOrWord } from './params.ts'

/** The filters that only merge requests have. Absent ones do not apply. */
interface RequestFilter extends ApprovalFilter {
  readonly scope?: string | undefined
  readonly reviewer_id?: NumberOrWord | undefined
  readonly reviewer_username?: string | undefined
  readonly merge_user_id?: number | undefined
  readonly merge_user_username?: string | undefined
  readonly source_branch?: string | undefined
  readonly source_project_id?: number | undefined
  readonly target_branch?: string | undefined
  readonly draft?: boolean | undefined
  readonly wip?: 'yes' | 'no' | undefined
  readonly environment?: string | undefined
  readonly deployed_after?: string | undefined
  readonly deployed_before?: string | undefined
  readonly not?: { readonly reviewer_id?: number; readonly reviewer_username?: string } | undefined
}

/** Builds the conditions of filters that only merge requests have, on alias `i`. */
function requestFilters(ctx: Ctx, filter: RequestFilter): SqlFilter[] {
  return [
    ...reviewFilters(ctx, filter),
    ...approvalFilters(ctx, filter),
    ...branchFilters(filter),
    ...mergerFilters(ctx, filter),
    ...draftFilters(filter),
    ...deploymentFilters(filter),
  ]
}

/** Returns the condition for a reviewer, for `None` or for `Any`. */
function reviewedBy(who: NumberOrWord): SqlFilter {
  const some = withLinkedRow('merge_request_reviewers', 'merge_request_id', sql`1`)
  if (who === 'Any') return checkOnly(some.check)
  if (who === 'None') return negate(some)
  return withLinkedRow('merge_request_reviewers', 'merge_request_id', sql`a.user_id = ${who}`)
}

function reviewedByUsername(ctx: Ctx, name: string): SqlFilter {
  const keyword = name.toLowerCase()
  if (keyword === 'none') return reviewedBy('None')
  if (keyword === 'any') return reviewedBy('Any')
  const user = userByUsername(ctx.db, name)
  return user ? reviewedBy(user.id) : matchNothing
}

function reviewFilters(ctx: Ctx, { scope, not = {}, ...filter }: RequestFilter): SqlFilter[] {
  const filters: SqlFilter[] = []
  if (scope === 'reviews_for_me' && ctx.actor.id !== null) filters.push(reviewedBy(ctx.actor.id))
  if (filter.reviewer_id !== undefined) filters.push(reviewedBy(filter.reviewer_id))
  if (filter.reviewer_username) filters.push(reviewedByUsername(ctx, filter.reviewer_username))
  if (not.reviewer_id !== undefined) filters.push(negate(reviewedBy(not.reviewer_id)))
  if (not.reviewer_username) filters.push(negate(reviewedByUsername(ctx, not.reviewer_username)))
  return filters
}

function branchFilters({ source_branch, source_project_id, target_branch }: RequestFilter): SqlFilter[] {
  const filters: SqlFilter[] = []
  if (source_project_id !== undefined) filters.push(fromProject(source_project_id))
  if (source_branch) filters.push(fromBranch(source_branch))
  if (target_branch) filters.push(checkOnly(sql<SqlBool>`+i.target_branch = ${target_branch}`))
  return filters
}

function fromBranch(name: string): SqlFilter {
  return {
    check: sql<SqlBool>`+i.source_branch = ${name}`,
    find: sql<SqlBool>`i.source_branch = ${name}`,
    probe: sql`SELECT 1 FROM merge_requests i WHERE i.source_branch = ${name}`,
  }
}

function fromProject(id: number): SqlFilter {
  return {
    check: sql<SqlBool>`+i.source_project_id = ${id}`,
    find: sql<SqlBool>`i.source_project_id = ${id}`,
    probe: sql`SELECT 1 FROM merge_requests i WHERE i.source_project_id = ${id}`,
  }
}

function mergerFilters(ctx: Ctx, { merge_user_id, merge_user_username }: RequestFilter): SqlFilter[] {
  const mergedBy = merge_user_username ? userByUsername(ctx.db, merge_user_username) : undefined
  if (merge_user_username && !mergedBy) return [matchNothing]
  const id = merge_user_id ?? mergedBy?.id
  if (id === undefined) return []
  return [
    checkOnly(sql<SqlBool>`+i.state = 'merged'`),
    {
      check: sql<SqlBool>`+i.merge_user_id = ${id}`,
      find: sql<SqlBool>`i.merge_user_id = ${id}`,
      probe: sql`SELECT 1 FROM merge_requests i WHERE i.merge_user_id = ${id}`,
    },
  ]
}

function draftFilters({ draft, wip }: RequestFilter): SqlFilter[] {
  const isDraft = draft ?? (wip === undefined ? undefined : wip === 'yes')
  if (isDraft === undefined) return []
  if (!isDraft) return [checkOnly(sql<SqlBool>`+i.draft = 0`)]
  const find = sql<SqlBool>`i.draft = 1`
  return [
    { check: sql<SqlBool>`+i.draft = 1`, find, probe: sql`SELECT 1 FROM merge_requests i WHERE ${find}` },
  ]
}

/** Returns the condition for a deployment to an environment, in a period of time. */
function deploymentFilters({ environment, deployed_after, deployed_before }: RequestFilter): SqlFilter[] {
  if (!environment && !deployed_after && !deployed_before) return []
  const conditions = [
    ...(environment ? [sql`a.environment = ${environment}`] : []),
    ...(deployed_after ? [sql`a.deployed_at >= ${deployed_after}`] : []),
    ...(deployed_before ? [sql`a.deployed_at <= ${deployed_before}`] : []),
  ]
  return [withLinkedRow('merge_request_deployments', 'merge_request_id', sql.join(conditions, sql` AND `))]
}

/** The filters by approvals. */
export interface ApprovalFilter {
  readonly approved?: 'yes' | 'no' | undefined
  readonly approved_by_ids?: PeopleOrWord<number> | undefined
  readonly approved_by_usernames?: PeopleOrWord<string> | undefined
  readonly approver_ids?: PeopleOrWord<number> | undefined
}

/** Returns the conditions of the filters by approvals. */
export function approvalFilters(ctx: Ctx, filter: ApprovalFilter): SqlFilter[] {
  const { approved, approved_by_ids, approved_by_usernames: names, approver_ids } = filter
  return [
    ...(approved ? approvedBy(approved === 'yes' ? 'Any' : 'None') : []),
    ...(approved_by_ids === undefined ? [] : approvedBy(approved_by_ids)),
    ...(names === undefined ? [] : approvedByUsernames(ctx, names)),
    ...(approver_ids === undefined ? [] : approverFilters(approver_ids)),
  ]
}

/** Returns the conditions for approvals by all of these users, by nobody (`None`) or by anybody (`Any`). */
function approvedBy(who: PeopleOrWord<number>): SqlFilter[] {
  const some = withLinkedRow('approvals', 'merge_request_id', sql`1`)
  if (who === 'Any') return [checkOnly(some.check)]
  if (who === 'None') return [negate(some)]
  return who.map((id) => withLinkedRow('approvals', 'merge_request_id', sql`a.user_id = ${id}`))
}
function approvedByUsernames(ctx: Ctx, names: PeopleOrWord<string>): SqlFilter[] {
  if (typeof names === 'string') return approvedBy(names)
  const users = names.map((name) => userByUsername(ctx.db, name))
  return users.some((user) => !user) ? [matchNothing] : approvedBy(users.map((user) => user!.id))
}

/** Returns the conditions for approvers: all of these users, nobody (`None`) or anybody (`Any`). */
function approverFilters(who: PeopleOrWord<number>): SqlFilter[] {
  if (who === 'Any') return [checkOnly(inApprovalRules(sql`1`))]
  if (who === 'None') return [negate(checkOnly(inApprovalRules(sql`1`)))]
  return who.map((id) => checkOnly(inApprovalRules(sql`u.user_id = ${id}`)))
}

/**
 * Returns the condition that a user `u` with `userCondition` is in the rules of the merge request. The rules of the
 * project count if the merge request has no rules of its own.
 */
function inApprovalRules(userCondition: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const ownRules = sql`SELECT 1 FROM approval_rules o WHERE o.merge_request_id = i.id
    AND o.rule_type IN ('regular', 'any_approver')`
  const inRule = (rule: RawBuilder<unknown>) => sql`EXISTS (
    SELECT 1 FROM approval_rules r JOIN approval_rule_users u ON u.rule_id = r.id WHERE ${rule} AND ${userCondition})`
  return sql<SqlBool>`(${inRule(sql`r.merge_request_id = i.id`)}
    OR (${inRule(sql`r.project_id = i.project_id`)} AND NOT EXISTS (${ownRules})))`
}

/** The filters of lists of merge requests. */
export type ListFilter = Omit<IssuableFilter, 'not'> &
  RequestFilter & {
    readonly not?: IssuableFilter['not'] & RequestFilter['not']
    readonly with_merge_status_recheck?: boolean | undefined
  }

/** The projects that a list covers. */
type ListScope = IssuableQuery['scope']

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
  // `requestFilters` contains the filter by reviewer.
  const filterScope = filter.scope === 'reviews_for_me' ? 'all' : filter.scope
  const query = {
    kind: 'MergeRequest' as const,
    scope,
    filter: { ...filter, scope: filterScope },
    filters: requestFilters(ctx, filter),
  }
  const result = findIssuables<MergeRequestRow>(ctx, query, page)
  if (!filter.with_merge_status_recheck) return result
  return { ...result, rows: result.rows.map((row) => requestCheck(ctx, row)) }
}
