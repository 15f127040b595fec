import { atLeastOne, endpoint } from '../../http/endpoint.ts'
import { bool, int, text } from '../../http/params.ts'
import { accepted, created, ok } from '../../http/returns.ts'
import { customAttributeRoutes } from '../custom_attributes/index.ts'
import { groupPlace, memberEndpoints } from '../members/index.ts'
import { namespaceTreeIds } from '../namespaces/index.ts'
import { listParams as projectListParams, projectPage, showProjects } from '../projects/index.ts'
import { GroupDetail } from './entity.ts'
import { cursorParam, groupPage, listParams, showGroups, subgroupPage } from './list-params.ts'
import { abilities } from './policy.ts'
import { group } from './scope.ts'
import { createGroup, deleteGroup, updateGroup } from './service.ts'
import { groupSettings, settingsToColumns } from './settings-params.ts'
import { groupDetail } from './views.ts'

const INVALID = 'A value is not acceptable'

export const listGroups = endpoint('GET /groups', {
  summary: 'List groups that the caller can see',
  can: 'anyone',
  params: {
    ...listParams,
    ...cursorParam,
    top_level_only: bool().optional().describe('Only groups without a parent'),
  },
  pure: true,
  returns: groupPage,
  run: ({ params, paging, ...ctx }) =>
    showGroups(ctx, { ...params, all_available: params.all_available ?? true }, paging),
})

export const getGroup = endpoint('GET /groups/:id', {
  summary: 'Get a group',
  scope: group,
  can: abilities.read_group,
  params: { with_projects: bool().optional().describe('Add its projects, at most 100 (default true)') },
  pure: true,
  returns: ok(GroupDetail),
  run: ({ group: owner, params, ...ctx }) => groupDetail(ctx, owner, params.with_projects ?? true),
})

export const create = endpoint('POST /groups', {
  summary: 'Create a group',
  can: 'signed_in',
  params: {
    name: text().describe('Name'),
    path: text().describe('Last part of the address'),
    parent_id: int().optional().describe('Group that it is to be below'),
    ...groupSettings,
  },
  fails: { 400: INVALID },
  returns: created(GroupDetail),
  run: ({ params, ...ctx }) =>
    groupDetail(ctx, createGroup(ctx, { ...params, columns: settingsToColumns(params) }), false),
})

const changeable = {
  name: text().optional().describe('Name'),
  path: text().optional().describe('Last part of the address'),
  ...groupSettings,
}

export const update = endpoint('PUT /groups/:id', {
  summary: 'Change a group',
  scope: group,
  can: abilities.update_group,
  params: changeable,
  together: [atLeastOne(...Object.keys(changeable))],
  fails: { 400: INVALID },
  returns: ok(GroupDetail),
  run: ({ group: owner, params, ...ctx }) => {
    const { name, path } = params
    const names = { ...(name === undefined ? {} : { name }), ...(path === undefined ? {} : { path }) }
    return groupDetail(ctx, updateGroup(ctx, owner, { ...settingsToColumns(params), ...names }), true)
  },
})

export const remove = endpoint('DELETE /groups/:id', {
  summary: 'Delete a group with everything below it',
  scope: group,
  can: abilities.delete_group,
  returns: accepted,
  run: ({ group: owner, http, ...ctx }) => {
    http.unmodifiedSince(owner.updated_at)
    deleteGroup(ctx, owner)
  },
})

export const listSubgroups = endpoint('GET /groups/:id/subgroups', {
  summary: 'List the groups directly below a group',
  scope: group,
  can: abilities.read_group,
  params: listParams,
  returns: subgroupPage,
  run: ({ group: owner, params, paging, ...ctx }) =>
    showGroups(
      ctx,
      { ...params, parent_id: owner.id, all_available: params.all_available ?? ctx.actor.is_admin },
      paging,
    ),
})

export const listDescendants = endpoint('GET /groups/:id/descendant_groups', {
  summary: 'List the groups below a group, at any depth',
  scope: group,
  can: abilities.read_group,
  params: listParams,
  returns: subgroupPage,
  run: ({ group: owner, params, paging, ...ctx }) =>
    showGroups(
      ctx,
      { ...params, below: owner.id, all_available: params.all_available ?? ctx.actor.is_admin },
      paging,
    ),
})

export const listGroupProjects = endpoint('GET /groups/:id/projects', {
  summary: 'List the projects of a group that the caller can see',
  scope: group,
  can: abilities.read_group,
  params: {
    ...projectListParams,
    include_subgroups: bool().optional().describe('Also projects of the groups below'),
    with_shared: bool().optional().describe('Also projects shared with the group (default true)'),
  },
  pure: true,
  returns: projectPage,
  run: ({ group: owner, params: { include_subgroups, with_shared: _shared, ...params }, paging, ...ctx }) => {
    const namespace_ids = include_subgroups ? namespaceTreeIds(ctx.db, owner.id) : [owner.id]
    return showProjects(ctx, { ...params, namespace_ids }, paging, false)
  },
})

export const members = memberEndpoints(
  group,
  {
    read: abilities.read_group_members,
    manage: abilities.manage_group_members,
    leave: abilities.leave_group,
  },
  groupPlace,
)

export const customAttributes = customAttributeRoutes(group)
