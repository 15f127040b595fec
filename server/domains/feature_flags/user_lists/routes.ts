import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity, time, row } from '../../../http/entity.ts'
import { int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { createUserList, findUserList, removeUserList, updateUserList } from './service.ts'
import { list, type UserListRow } from './store.ts'

/** A user list for the strategies of feature flags (spec ci 7.3). */
const FeatureFlagUserList = entity(
  'FeatureFlagUserList',
  {
    id: z.int(),
    iid: z.int(),
    project_id: z.int(),
    created_at: time(),
    updated_at: time(),
    name: z.string(),
    user_xids: z.string(),
  },
  row<UserListRow>(),
)

const iid = int().describe('The internal ID (IID) of the user list')
const name = text().describe('The name of the user list')
const user_xids = text().describe('The IDs of the users in the application, separated by commas')

const common = { scope: project, errorsAsMessage: true } as const
const fails = { 400: 'A list of error messages' }

export const listUserLists = endpoint('GET /projects/:id/feature_flags_user_lists', {
  ...common,
  summary: 'List all feature flag user lists of a project',
  can: abilities.read_feature_flags,
  pure: true,
  params: { search: text({ max: 255 }).optional().describe('Search the name') },
  returns: page(FeatureFlagUserList),
  run: (ctx) => list(ctx.db, { project_id: ctx.project.id, search: ctx.params.search }, ctx.paging),
})

export const createList = endpoint('POST /projects/:id/feature_flags_user_lists', {
  ...common,
  summary: 'Create a feature flag user list',
  can: abilities.admin_feature_flag_user_lists,
  params: { name, user_xids },
  fails,
  returns: created(FeatureFlagUserList),
  run: (ctx) => createUserList(ctx, ctx.project.id, ctx.params),
})

export const getList = endpoint('GET /projects/:id/feature_flags_user_lists/:iid', {
  ...common,
  summary: 'Get a feature flag user list',
  can: abilities.read_feature_flags,
  pure: true,
  params: { iid },
  returns: ok(FeatureFlagUserList),
  run: (ctx) => findUserList(ctx, ctx.project.id, ctx.params.iid),
})

export const updateList = endpoint('PUT /projects/:id/feature_flags_user_lists/:iid', {
  ...common,
  summary: 'Update a feature flag user list',
  can: abilities.admin_feature_flag_user_lists,
  params: { iid, name: name.optional(), user_xids: user_xids.optional() },
  fails,
  returns: ok(FeatureFlagUserList),
  run: (ctx) => updateUserList(ctx, findUserList(ctx, ctx.project.id, ctx.params.iid), ctx.params),
})

export const removeList = endpoint('DELETE /projects/:id/feature_flags_user_lists/:iid', {
  ...common,
  summary: 'Delete a feature flag user list',
  can: abilities.admin_feature_flag_user_lists,
  params: { iid },
  fails: { 409: 'User list is associated with a strategy' },
  returns: noContent,
  run: (ctx) => {
    const row = findUserList(ctx, ctx.project.id, ctx.params.iid)
    ctx.http.unmodifiedSince(row.updated_at)
    removeUserList(ctx, row)
  },
})
