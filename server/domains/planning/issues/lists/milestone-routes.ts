import type { Ctx } from '../../../../ctx.ts'
import { endpoint } from '../../../../http/endpoint.ts'
import { int } from '../../../../http/params.ts'
import { page } from '../../../../http/returns.ts'
import { Failure } from '../../../../lib/fail.ts'
import { group } from '../../../groups/index.ts'
import {
  groupAbilities as groupMilestoneAbilities,
  abilities as milestoneAbilities,
} from '../../milestones/policy.ts'
import { milestonesByIds } from '../../milestones/store.ts'
import { namespaceTreeIds } from '../../../namespaces/index.ts'
import { fullPath, project } from '../../../projects/index.ts'
import { Issue } from '../entity.ts'
import { findIssues } from './find.ts'

const milestone_id = int({ min: 1 }).describe('Id of the milestone')

/** Throws `404 Not found` unless the milestone belongs to this very project or group. */
function checkOwn(ctx: Ctx, id: number, column: 'project_id' | 'group_id', owner: number): void {
  const found = milestonesByIds(ctx.db, [id]).get(id)
  if (found?.[column] !== owner) throw new Failure('not_found', '404 Not found')
}

export const listMilestoneIssues = endpoint('GET /projects/:id/milestones/:milestone_id/issues', {
  summary: 'List the issues of a project milestone',
  scope: project,
  can: milestoneAbilities.read_milestone,
  params: { milestone_id },
  returns: page(Issue),
  run: ({ project: owner, params, paging, ...ctx }) => {
    checkOwn(ctx, params.milestone_id, 'project_id', owner.id)
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
    checkOwn(ctx, params.milestone_id, 'group_id', owner.id)
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
