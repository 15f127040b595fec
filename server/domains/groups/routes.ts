import { endpoint } from '../../http/endpoint.ts'
import { bool, int, text } from '../../http/params.ts'
import { accepted, created, ok } from '../../http/returns.ts'
import { customAttributeRoutes, withAttributesParam } from '../users/index.ts'
import { groupMemberEndpoints, groupPlace, memberEndpoints } from '../members/index.ts'
import { createGroup } from './create.ts'
import { requestDeletion } from './deletion.ts'
import { GroupDetail } from './entity.ts'
import { abilities } from './policy.ts'
import { group } from './scope.ts'
import { groupSettings, newGroupSettings, settingsToColumns } from './settings-params.ts'
import { updateGroup } from './update.ts'
import { groupDetail } from './views.ts'

export * from './action-routes.ts'
export * from './directory-routes.ts'
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
  ...memberEndpoints(group, memberAbilities, groupPlace),
  ...groupMemberEndpoints(group, memberAbilities, groupPlace),
]

export const customAttributes = customAttributeRoutes(group)
