import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import type { Group } from '../../groups/index.ts'
import { namespaceTreeIds } from '../../namespaces/index.ts'
import {
  checkOnly,
  linked,
  never,
  opposite,
  type NumberOrWord,
  type Part,
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
function requestParts(ctx: Ctx, filter: RequestFilter): Part[] {
  return [
    ...reviewParts(ctx, filter),
    ...approvalParts(ctx, filter),
    ...branchParts(filter),
    ...mergerParts(ctx, filter),
    ...draftParts(filter),
    ...deploymentParts(filter),
  ]
}

/** The condition for a reviewer, no reviewer, or any. */
function reviewedBy(who: NumberOrWord): Part {
  const some = linked('merge_request_reviewers', 'merge_request_id', sql`1`)
  if (who === 'Any') return checkOnly(some.check)
  if (who === 'None') return opposite(some)
  return linked('merge_request_reviewers', 'merge_request_id', sql`a.user_id = ${who}`)
}

function reviewedByUsername(ctx: Ctx, name: string): Part {
  const word = name.toLowerCase()
  if (word === 'none') return reviewedBy('None')
  if (word === 'any') return reviewedBy('Any')
  const user = userByUsername(ctx.db, name)
  return user ? reviewedBy(user.id) : never
}

function reviewParts(ctx: Ctx, { scope, not = {}, ...filter }: RequestFilter): Part[] {
  const parts: Part[] = []
  if (scope === 'reviews_for_me' && ctx.actor.id !== null) parts.push(reviewedBy(ctx.actor.id))
  if (filter.reviewer_id !== undefined) parts.push(reviewedBy(filter.reviewer_id))
  if (filter.reviewer_username) parts.push(reviewedByUsername(ctx, filter.reviewer_username))
  if (not.reviewer_id !== undefined) parts.push(opposite(reviewedBy(not.reviewer_id)))
  if (not.reviewer_username) parts.push(opposite(reviewedByUsername(ctx, not.reviewer_username)))
  return parts
}

function branchParts({ source_branch, source_project_id, target_branch }: RequestFilter): Part[] {
  const parts: Part[] = []
  if (source_project_id !== undefined) parts.push(fromProject(source_project_id))
  if (source_branch) parts.push(fromBranch(source_branch))
  if (target_branch) parts.push(checkOnly(sql<SqlBool>`+i.target_branch = ${target_branch}`))
  return parts
}

function fromBranch(name: string): Part {
  return {
    check: sql<SqlBool>`+i.source_branch = ${name}`,
    find: sql<SqlBool>`i.source_branch = ${name}`,
    probe: sql`SELECT 1 FROM merge_requests i WHERE i.source_branch = ${name}`,
  }
}

function fromProject(id: number): Part {
  return {
    check: sql<SqlBool>`+i.source_project_id = ${id}`,
    find: sql<SqlBool>`i.source_project_id = ${id}`,
    probe: sql`SELECT 1 FROM merge_requests i WHERE i.source_project_id = ${id}`,
  }
}

function mergerParts(ctx: Ctx, { merge_user_id, merge_user_username }: RequestFilter): Part[] {
  const mergedBy = merge_user_username ? userByUsername(ctx.db, merge_user_username) : undefined
  if (merge_user_username && !mergedBy) return [never]
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

function draftParts({ draft, wip }: RequestFilter): Part[] {
  const wanted = draft ?? (wip === undefined ? undefined : wip === 'yes')
  if (wanted === undefined) return []
  if (!wanted) return [checkOnly(sql<SqlBool>`+i.draft = 0`)]
  const find = sql<SqlBool>`i.draft = 1`
  return [
    { check: sql<SqlBool>`+i.draft = 1`, find, probe: sql`SELECT 1 FROM merge_requests i WHERE ${find}` },
  ]
}

/** The condition for deployments in a span of time or to an environment. */
function deploymentParts({ environment, deployed_after, deployed_before }: RequestFilter): Part[] {
  if (!environment && !deployed_after && !deployed_before) return []
  const conditions = [
    ...(environment ? [sql`a.environment = ${environment}`] : []),
    ...(deployed_after ? [sql`a.deployed_at >= ${deployed_after}`] : []),
    ...(deployed_before ? [sql`a.deployed_at <= ${deployed_before}`] : []),
  ]
  return [linked('merge_request_deployments', 'merge_request_id', sql.join(conditions, sql` AND `))]
}

/** The filters by approvals. */
export interface ApprovalFilter {
  readonly approved?: 'yes' | 'no' | undefined
  readonly approved_by_ids?: PeopleOrWord<number> | undefined
  readonly approved_by_usernames?: PeopleOrWord<string> | undefined
  readonly approver_ids?: PeopleOrWord<number> | undefined
}

/** The filters by approvals. */
export function approvalParts(ctx: Ctx, filter: ApprovalFilter): Part[] {
  const { approved, approved_by_ids, approved_by_usernames: names, approver_ids } = filter
  return [
    ...(approved ? approvedBy(approved === 'yes' ? 'Any' : 'None') : []),
    ...(approved_by_ids === undefined ? [] : approvedBy(approved_by_ids)),
    ...(names === undefined ? [] : approvedByUsernames(ctx, names)),
    ...(approver_ids === undefined ? [] : approverParts(approver_ids)),
  ]
}

/** The conditions for approvals by all of these users, by nobody, or by anybody. */
function approvedBy(who: PeopleOrWord<number>): Part[] {
  const some = linked('approvals', 'merge_request_id', sql`1`)
  if (who === 'Any') return [checkOnly(some.check)]
  if (who === 'None') return [opposite(some)]
  return who.map((id) => linked('approvals', 'merge_request_id', sql`a.user_id = ${id}`))
}
function approvedByUsernames(ctx: Ctx, names: PeopleOrWord<string>): Part[] {
  if (typeof names === 'string') return approvedBy(names)
  const users = names.map((name) => userByUsername(ctx.db, name))
  return users.some((user) => !user) ? [never] : approvedBy(users.map((user) => user!.id))
}

/** The conditions for approvers: all of these users, nobody, or anybody. */
function approverParts(who: PeopleOrWord<number>): Part[] {
  if (who === 'Any') return [checkOnly(inApprovalRules(sql`1`))]
  if (who === 'None') return [opposite(checkOnly(inApprovalRules(sql`1`)))]
  return who.map((id) => checkOnly(inApprovalRules(sql`u.user_id = ${id}`)))
}

/** The condition for users in the rules of the merge request. Without own rules, the rules of the project count. */
function inApprovalRules(fits: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const condition = sql`SELECT 1 FROM approval_rules o WHERE o.merge_request_id = i.id
    AND o.rule_type IN ('regular', 'any_approver')`
  const inRule = (rule: RawBuilder<unknown>) => sql`EXISTS (
    SELECT 1 FROM approval_rules r JOIN approval_rule_users u ON u.rule_id = r.id WHERE ${rule} AND ${fits})`
  return sql<SqlBool>`(${inRule(sql`r.merge_request_id = i.id`)}
    OR (${inRule(sql`r.project_id = i.project_id`)} AND NOT EXISTS (${condition})))`
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
  // `requestParts` filters by reviewer.
  const filterScope = filter.scope === 'reviews_for_me' ? 'all' : filter.scope
  const query = {
    kind: 'MergeRequest' as const,
    scope,
    filter: { ...filter, scope: filterScope },
    parts: requestParts(ctx, filter),
  }
  const result = findIssuables<MergeRequestRow>(ctx, query, page)
  if (!filter.with_merge_status_recheck) return result
  return { ...result, rows: result.rows.map((row) => requestCheck(ctx, row)) }
}
