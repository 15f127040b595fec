import { endpoint } from '../../http/endpoint.ts'
import { bool, day, int, intChoice, text, timestamp } from '../../http/params.ts'
import { accepted, created, noContent, ok, page } from '../../http/returns.ts'
import { customAttributeRoutes, withAttributesParam } from '../users/index.ts'
import { groupMemberEndpoints, groupSource, memberEndpoints } from '../members/index.ts'
import { createGroup, updateGroup } from './service.ts'
import { requestDeletion, restoreGroup } from './service-deletion.ts'
import { GroupDetail } from './entity.ts'
import * as store from './store.ts'
import { abilities, findGroup, group } from './policy.ts'
import { groupSettings, newGroupSettings, settingsToColumns } from './settings-params.ts'
import { groupDetail } from './service-views.ts'
import { notFound } from '../../lib/fail.ts'
import { GroupPublic } from '../namespaces/entity.ts'
import { findProject, transferProject } from '../projects/index.ts'
import { shareGroup, unshareGroup } from './service-sharing.ts'
import { transferGroup, transferLocations } from './service-transfer.ts'
import { UserBasic } from '../users/entity.ts'

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

export const listProvisionedUsers = endpoint('GET /groups/:id/provisioned_users', {
  summary: 'List the users whom the sign-in of a group brought',
  scope: group,
  can: abilities.manage_group_members,
  params: {
    username: text({ max: 255 }).optional().describe('Only the user of that name'),
    search: text({ max: 255 }).optional().describe('Part of the name or user name, or the whole address'),
    active: bool().optional().describe('Only active users'),
    blocked: bool().optional().describe('Only blocked users'),
    created_after: timestamp().optional().describe('Only users made since'),
    created_before: timestamp().optional().describe('Only users made before'),
  },
  pure: true,
  returns: page(UserBasic),
  run: ({ group: owner, params, paging, ...ctx }) => store.listProvisioned(ctx.db, owner.id, params, paging),
})

/** There is no directory to ask, so there is nothing to do; clients only want to hear that it was taken. */
export const syncDirectory = endpoint('POST /groups/:id/ldap_sync', {
  summary: 'Bring the members of a group in line with a directory',
  scope: group,
  can: abilities.manage_group_members,
  returns: accepted,
  run: () => undefined,
})

export * from './list-routes.ts'

const INVALID = 'A value is not acceptable'

export const getGroup = endpoint('GET /groups/:id', {
  summary: 'Get a group',
  scope: group,
  can: abilities.read_group,
  params: {
    with_projects: bool().optional().describe('Add its projects, at most 100 (default true)'),
    ...withAttributesParam,
  },
  pure: true,
  returns: ok(GroupDetail),
  run: ({ group: owner, params: { with_projects = true, ...options }, ...ctx }) =>
    groupDetail(ctx, owner, { ...options, with_projects }),
})

export const create = endpoint('POST /groups', {
  summary: 'Create a group',
  can: 'signed_in',
  params: {
    name: text().describe('Name'),
    path: text().describe('Last part of the address'),
    parent_id: int().optional().describe('Group that it is to be below'),
    ...newGroupSettings,
  },
  fails: { 400: INVALID },
  returns: created(GroupDetail),
  run: async ({ params, ...ctx }) => {
    const { name, path, parent_id, avatar } = params
    const made = await createGroup(ctx, { name, path, parent_id, avatar, columns: settingsToColumns(params) })
    return groupDetail(ctx, made, { with_projects: false })
  },
})

export const update = endpoint('PUT /groups/:id', {
  summary: 'Change a group',
  scope: group,
  can: abilities.update_group,
  params: {
    name: text().optional().describe('Name'),
    path: text().optional().describe('Last part of the address'),
    ...groupSettings,
  },
  fails: { 400: INVALID },
  returns: ok(GroupDetail),
  run: async ({ group: owner, params, ...ctx }) => {
    const { name, path, avatar, shared_runners_setting: runners } = params
    const changes = {
      ...settingsToColumns(params),
      ...(name === undefined ? {} : { name }),
      ...(path === undefined ? {} : { path }),
      // The older name of the same.
      ...(runners === undefined
        ? {}
        : {
            shared_runners_setting:
              runners === 'disabled_with_override' ? 'disabled_and_overridable' : runners,
          }),
    }
    return groupDetail(ctx, await updateGroup(ctx, owner, changes, avatar), { with_projects: true })
  },
})

export const remove = endpoint('DELETE /groups/:id', {
  summary: 'Delete a group with everything below it, at once or after the days of the settings',
  scope: group,
  can: abilities.delete_group,
  params: {
    permanently_remove: bool().optional().describe('Delete a subgroup at once that is marked already'),
    full_path: text({ max: 2000 }).optional().describe('Full path of that subgroup, to confirm'),
  },
  fails: { 400: 'It is marked already, or the path does not confirm' },
  returns: accepted,
  run: ({ group: owner, params, http, ...ctx }) => {
    http.unmodifiedSince(owner.updated_at)
    requestDeletion(ctx, owner, params)
  },
})

const memberAbilities = {
  read: abilities.read_group_members,
  manage: abilities.manage_group_members,
  leave: abilities.leave_group,
}

export const members = [
  ...memberEndpoints(group, memberAbilities, groupSource),
  ...groupMemberEndpoints(group, memberAbilities, groupSource),
]

export const customAttributes = customAttributeRoutes(group)
