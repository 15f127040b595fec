import type { Ctx } from '../../../../ctx.ts'
import { endpoint } from '../../../../http/endpoint.ts'
import { int } from '../../../../http/params.ts'
import { ok, page } from '../../../../http/returns.ts'
import { Failure } from '../../../../lib/fail.ts'
import { group, groupAbilities } from '../../../groups/index.ts'
import { archivedParam } from '../../issuables/list/params.ts'
import { namespaceTreeIds } from '../../../namespaces/index.ts'
import { fullPath, project, projectAbilities } from '../../../projects/index.ts'
import { userSearchLimit } from '../../../users/index.ts'
import { milestonesByIds } from '../../milestones/store.ts'
import { groupAbilities as groupMilestoneAbilities, abilities as milestoneAbilities } from '../../policy.ts'
import { IssuesStatistics, Issue } from '../entity.ts'
import {
  filterParams,
  issuePage,
  listParams,
  parameterRules,
  countIssues,
  findIssues,
  instanceScope,
} from './params.ts'

const milestone_id = int({ min: 1 }).describe('The ID of the milestone')

/** Throws `404 Not found` unless the project or group owns the milestone itself. */
function checkMilestoneOwner(ctx: Ctx, id: number, column: 'project_id' | 'group_id', owner: number): void {
  const milestone = milestonesByIds(ctx.db, [id]).get(id)
  if (milestone?.[column] !== owner) throw new Failure('not_found', '404 Not found')
}

export const listMilestoneIssues = endpoint('GET /projects/:id/milestones/:milestone_id/issues', {
  summary: 'List the issues of a project milestone',
  scope: project,
  can: milestoneAbilities.read_milestone,
  params: { milestone_id },
  returns: page(Issue),
  run: ({ project: owner, params, paging, ...ctx }) => {
    checkMilestoneOwner(ctx, params.milestone_id, 'project_id', owner.id)
    const scope = { scope: { project: owner }, relative_to: fullPath(owner) }
    return findIssues(
      ctx,
      scope,
      { of_milestone: params.milestone_id },
      { ...paging, order_by: 'created_at' },
    )
  },
})

export const listGroupMilestoneIssues = endpoint('GET /groups/:id/milestones/:milestone_id/issues', {
  summary: 'List the issues of a group milestone',
  scope: group,
  can: groupMilestoneAbilities.read_group_milestone,
  params: { milestone_id },
  returns: page(Issue),
  run: ({ group: owner, params, paging, ...ctx }) => {
    checkMilestoneOwner(ctx, params.milestone_id, 'group_id', owner.id)
    const namespace_ids = namespaceTreeIds(ctx.db, owner.id)
    const scope = { scope: { namespace_ids }, relative_to: owner.full_path }
    return findIssues(
      ctx,
      scope,
      { of_milestone: params.milestone_id },
      { ...paging, order_by: 'created_at' },
    )
  },
})

export const listIssues = endpoint('GET /issues', {
  summary: 'List issues (by default, those of the current user)',
  can: 'anyone',
  params: { ...listParams, ...archivedParam },
  parameterRules,
  fails: { 401: 'Only users have their own issues' },
  pure: true,
  limit: userSearchLimit,
  returns: issuePage,
  run: ({ params, paging, ...ctx }) => {
    const { non_archived, ...filter } = params
    const scope = instanceScope(ctx, filter.scope)
    const list = { scope: { non_archived }, relative_to: undefined }
    return findIssues(ctx, list, { ...filter, scope }, paging)
  },
})

export const listGroupIssues = endpoint('GET /groups/:id/issues', {
  summary: 'List group issues',
  scope: group,
  can: groupAbilities.read_group,
  params: { ...listParams, ...archivedParam },
  parameterRules,
  pure: true,
  limit: userSearchLimit,
  returns: issuePage,
  run: ({ group: owner, params, paging, ...ctx }) => {
    const { non_archived, ...filter } = params
    const namespace_ids = namespaceTreeIds(ctx.db, owner.id)
    const list = { scope: { namespace_ids, non_archived }, relative_to: owner.full_path }
    return findIssues(ctx, list, filter, paging)
  },
})

export const listProjectIssues = endpoint('GET /projects/:id/issues', {
  summary: 'List project issues',
  scope: project,
  can: projectAbilities.read_project,
  params: listParams,
  parameterRules,
  pure: true,
  limit: userSearchLimit,
  returns: issuePage,
  run: ({ project: owner, params, paging, ...ctx }) =>
    findIssues(ctx, { scope: { project: owner }, relative_to: fullPath(owner) }, params, paging),
})

export const statistics = endpoint('GET /issues_statistics', {
  summary: 'Count issues by state (by default, those of the current user)',
  can: 'anyone',
  params: filterParams,
  parameterRules,
  fails: { 401: 'Only users have their own issues' },
  pure: true,
  returns: ok(IssuesStatistics),
  run: ({ params, ...ctx }) => countIssues(ctx, {}, { ...params, scope: instanceScope(ctx, params.scope) }),
})

export const groupStatistics = endpoint('GET /groups/:id/issues_statistics', {
  summary: 'Count the issues of a group and its subgroups by state',
  scope: group,
  can: groupAbilities.read_group,
  params: filterParams,
  parameterRules,
  pure: true,
  returns: ok(IssuesStatistics),
  run: ({ group: owner, params, ...ctx }) =>
    countIssues(ctx, { namespace_ids: namespaceTreeIds(ctx.db, owner.id) }, params),
})

export const projectStatistics = endpoint('GET /projects/:id/issues_statistics', {
  summary: 'Count the issues of a project by state',
  scope: project,
  can: projectAbilities.read_project,
  params: filterParams,
  parameterRules,
  pure: true,
  returns: ok(IssuesStatistics),
  run: ({ project: owner, params, ...ctx }) => countIssues(ctx, { project: owner }, params),
})
