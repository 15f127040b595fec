import { endpoint } from '../../http/endpoint.ts'
import { day, int, intChoice, text } from '../../http/params.ts'
import { created, noContent, page } from '../../http/returns.ts'
import { notFound } from '../../lib/fail.ts'
import { GroupPublic } from '../namespaces/entity.ts'
import { findProject, transferProject } from '../projects/index.ts'
import { restoreGroup } from './deletion.ts'
import { GroupDetail } from './entity.ts'
import { abilities } from './policy.ts'
import { findGroup, group } from './scope.ts'
import { shareGroup, unshareGroup } from './sharing.ts'
import { transferGroup, transferLocations } from './transfer.ts'
import { groupDetail } from './views.ts'

export const restore = endpoint('POST /groups/:id/restore', {
  summary: 'Keep a group that is marked for its deletion',
  scope: group,
  can: abilities.delete_group,
  fails: { 400: 'It is not marked' },
  returns: created(GroupDetail),
  run: ({ group: owner, ...ctx }) => groupDetail(ctx, restoreGroup(ctx, owner), { with_projects: true }),
})

export const transfer = endpoint('POST /groups/:id/transfer', {
  summary: 'Move a group into another one, or to the top',
  scope: group,
  can: abilities.transfer_group,
  params: { group_id: int().optional().describe('Group to move it into; without, it goes to the top') },
  fails: { 400: 'Transfer failed, and why' },
  returns: created(GroupDetail),
  run: ({ group: owner, params, ...ctx }) =>
    groupDetail(ctx, transferGroup(ctx, owner, params.group_id), { with_projects: true }),
})

export const listTransferLocations = endpoint('GET /groups/:id/transfer_locations', {
  summary: 'List the groups that a group may be moved into',
  scope: group,
  can: abilities.transfer_group,
  params: { search: text({ max: 255 }).optional().describe('Part of the name or path') },
  pure: true,
  returns: page(GroupPublic),
  run: ({ group: owner, params, paging, ...ctx }) => transferLocations(ctx, owner, params.search, paging),
})

export const addProject = endpoint('POST /groups/:id/projects/:project_id', {
  summary: 'Move a project into a group',
  scope: group,
  can: 'admin',
  params: { project_id: text({ max: 2000 }).describe('Id or full path of the project') },
  fails: { 400: 'Failed to transfer project, and why' },
  returns: created(GroupDetail),
  run: ({ group: owner, params, ...ctx }) => {
    const project = findProject(ctx, params.project_id)
    if (!project) throw notFound('Project')
    transferProject(ctx, project, String(owner.id))
    return groupDetail(ctx, findGroup(ctx, String(owner.id))!, { with_projects: true })
  },
})

export const share = endpoint('POST /groups/:id/share', {
  summary: 'Invite a group into a group',
  scope: group,
  can: abilities.share_group,
  params: {
    group_id: int().describe('Group to invite'),
    group_access: intChoice(5, 10, 20, 30, 40, 50).describe('The highest level that its members get'),
    expires_at: day().nullable().optional().describe('Day on which it ends; null for none'),
  },
  fails: { 400: 'The day is over, or it is the same group', 409: 'It is invited already' },
  returns: created(GroupDetail),
  run: ({ group: owner, params, ...ctx }) => {
    shareGroup(ctx, owner, params)
    return groupDetail(ctx, owner, { with_projects: true })
  },
})

export const unshare = endpoint('DELETE /groups/:id/share/:group_id', {
  summary: 'Send an invited group away',
  scope: group,
  can: abilities.share_group,
  params: { group_id: int().describe('The invited group') },
  returns: noContent,
  run: ({ group: owner, params, ...ctx }) => unshareGroup(ctx, owner, params.group_id),
})
