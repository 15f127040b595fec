import { endpoint } from '../../http/endpoint.ts'
import { bool, day, int, intChoice, text, timestamp } from '../../http/params.ts'
import { accepted, created, noContent, ok, page } from '../../http/returns.ts'
import { customAttributeRoutes, withAttributesParam } from '../users/index.ts'
import { groupMemberEndpoints, groupSource, memberEndpoints } from '../members/index.ts'
import { createGroup, updateGroup, shareGroup, unshareGroup } from './service.ts'
import { requestDeletion, restoreGroup } from './service-deletion.ts'
import { GroupDetail } from './entity.ts'
import * as store from './store.ts'
import { abilities, findGroup, group } from './policy.ts'
import { groupSettings, newGroupSettings, settingsToColumns } from './settings-params.ts'
import { groupDetail } from './service-views.ts'
import { notFound } from '../../lib/fail.ts'
import { GroupPublic } from '../namespaces/entity.ts'
import { findProject, transferProject } from '../projects/index.ts'
import { transferGroup, transferLocations } from './service-transfer.ts'
import { UserBasic } from '../users/entity.ts'

export const restore = endpoint('POST /groups/:id/restore', {
  summary: 'Restore a group that is marked for deletion',
  scope: group,
  can: abilities.delete_group,
  fails: { 400: 'The group is not marked for deletion' },
  returns: created(GroupDetail),
  run: ({ group: owner, ...ctx }) => groupDetail(ctx, restoreGroup(ctx, owner), { with_projects: true }),
})

export const transfer = endpoint('POST /groups/:id/transfer', {
  summary: 'Transfer a group to another group, or to the top level',
  scope: group,
  can: abilities.transfer_group,
  params: {
    group_id: int()
      .optional()
      .describe('The ID of the new parent group. By default the group becomes a top-level group'),
  },
  fails: { 400: 'The group cannot be transferred: `Transfer failed: …`' },
  returns: created(GroupDetail),
  run: ({ group: owner, params, ...ctx }) =>
    groupDetail(ctx, transferGroup(ctx, owner, params.group_id), { with_projects: true }),
})

export const listTransferLocations = endpoint('GET /groups/:id/transfer_locations', {
  summary: 'List the groups that a group can be transferred to',
  scope: group,
  can: abilities.transfer_group,
  params: { search: text({ max: 255 }).optional().describe('Search in name and path') },
  pure: true,
  returns: page(GroupPublic),
  run: ({ group: owner, params, paging, ...ctx }) => transferLocations(ctx, owner, params.search, paging),
})

export const addProject = endpoint('POST /groups/:id/projects/:project_id', {
  summary: 'Transfer a project to a group',
  scope: group,
  can: 'admin',
  params: { project_id: text({ max: 2000 }).describe('The ID or full path of the project') },
  fails: { 400: 'The project cannot be moved to the group: `Failed to transfer project {…}`' },
  returns: created(GroupDetail),
  run: ({ group: owner, params, ...ctx }) => {
    const project = findProject(ctx, params.project_id)
    if (!project) throw notFound('Project')
    transferProject(ctx, project, String(owner.id))
    return groupDetail(ctx, findGroup(ctx, String(owner.id))!, { with_projects: true })
  },
})

export const share = endpoint('POST /groups/:id/share', {
  summary: 'Share a group with another group',
  scope: group,
  can: abilities.share_group,
  params: {
    group_id: int().describe('The ID of the group to invite'),
    group_access: intChoice(5, 10, 20, 30, 40, 50).describe(
      'Maximum access level of the members of the invited group',
    ),
    expires_at: day()
      .nullable()
      .optional()
      .describe('The date on which the share expires. Null means no expiry'),
  },
  fails: { 400: 'The date is in the past, or both groups are the same', 409: 'The group is already invited' },
  returns: created(GroupDetail),
  run: ({ group: owner, params, ...ctx }) => {
    shareGroup(ctx, owner, params)
    return groupDetail(ctx, owner, { with_projects: true })
  },
})

export const unshare = endpoint('DELETE /groups/:id/share/:group_id', {
  summary: 'Delete the share of a group with another group',
  scope: group,
  can: abilities.share_group,
  params: { group_id: int().describe('The ID of the invited group') },
  returns: noContent,
  run: ({ group: owner, params, ...ctx }) => unshareGroup(ctx, owner, params.group_id),
})

export const listProvisionedUsers = endpoint('GET /groups/:id/provisioned_users', {
  summary: 'List the users provisioned by a group',
  scope: group,
  can: abilities.manage_group_members,
  params: {
    username: text({ max: 255 }).optional().describe('Limit to the user with this username'),
    search: text({ max: 255 })
      .optional()
      .describe('Search by part of the name or username, or by the full email address'),
    active: bool().optional().describe('Limit to active users'),
    blocked: bool().optional().describe('Limit to blocked users'),
    created_after: timestamp().optional().describe('Limit to users created after this time'),
    created_before: timestamp().optional().describe('Limit to users created before this time'),
  },
  pure: true,
  returns: page(UserBasic),
  run: ({ group: owner, params, paging, ...ctx }) => store.listProvisioned(ctx.db, owner.id, params, paging),
})

/** Does nothing, because there is no LDAP directory. Clients expect that the request is accepted. */
export const syncDirectory = endpoint('POST /groups/:id/ldap_sync', {
  summary: 'Sync the members of a group with LDAP. Has no effect',
  scope: group,
  can: abilities.manage_group_members,
  returns: accepted,
  run: () => undefined,
})

export * from './list-routes.ts'

const INVALID = 'A value is invalid'

export const getGroup = endpoint('GET /groups/:id', {
  summary: 'Get a group',
  scope: group,
  can: abilities.read_group,
  params: {
    with_projects: bool().optional().describe('Include up to 100 projects of the group. Defaults to `true`'),
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
    path: text().describe('Path'),
    parent_id: int().optional().describe('The ID of the parent group'),
    ...newGroupSettings,
  },
  fails: { 400: INVALID },
  returns: created(GroupDetail),
  run: async ({ params, ...ctx }) => {
    const { name, path, parent_id, avatar } = params
    const createdGroup = await createGroup(ctx, {
      name,
      path,
      parent_id,
      avatar,
      columns: settingsToColumns(params),
    })
    return groupDetail(ctx, createdGroup, { with_projects: false })
  },
})

export const update = endpoint('PUT /groups/:id', {
  summary: 'Update a group',
  scope: group,
  can: abilities.update_group,
  params: {
    name: text().optional().describe('Name'),
    path: text().optional().describe('Path'),
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
      // `disabled_with_override` is the deprecated name of `disabled_and_overridable`.
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
  summary: 'Delete a group',
  scope: group,
  can: abilities.delete_group,
  params: {
    permanently_remove: bool()
      .optional()
      .describe('Delete a subgroup that is marked for deletion immediately'),
    full_path: text({ max: 2000 }).optional().describe('Full path of the subgroup, to confirm the deletion'),
  },
  fails: { 400: 'The group is already marked for deletion, is not marked yet, or `full_path` is incorrect' },
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
