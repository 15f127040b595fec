import { endpoint } from '../../../http/endpoint.ts'
import { choice, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { FeatureFlag } from './entity.ts'
import { changedFlagParams, newFlagParams } from './params.ts'
import { createFlag, findFlag, listFlags, removeFlag, showFlag, updateFlag } from './service.ts'

const feature_flag_name = text().describe('Name of the flag')
const WRONG = 'A list of error messages, or `Version is invalid`'

export const listFeatureFlags = endpoint('GET /projects/:id/feature_flags', {
  summary: 'List project feature flags',
  scope: project,
  can: abilities.read_feature_flags,
  pure: true,
  params: { scope: choice('enabled', 'disabled').optional().describe('Only active flags, or inactive ones') },
  returns: page(FeatureFlag),
  run: (ctx) => {
    const { scope } = ctx.params
    const active = scope === undefined ? undefined : scope === 'enabled'
    return listFlags(ctx, { project_id: ctx.project.id, active }, ctx.paging)
  },
})

export const getFeatureFlag = endpoint('GET /projects/:id/feature_flags/:feature_flag_name', {
  summary: 'Get a single feature flag',
  scope: project,
  can: abilities.read_feature_flags,
  pure: true,
  params: { feature_flag_name },
  returns: ok(FeatureFlag),
  run: (ctx) => showFlag(ctx, findFlag(ctx, ctx.project.id, ctx.params.feature_flag_name)),
})

export const createFeatureFlag = endpoint('POST /projects/:id/feature_flags', {
  summary: 'Create a feature flag',
  scope: project,
  can: abilities.admin_feature_flags,
  params: newFlagParams,
  fails: { 400: WRONG, 403: 'Access Denied' },
  returns: created(FeatureFlag),
  run: ({ project: owner, params, ...ctx }) => createFlag(ctx, owner, params),
})

export const updateFeatureFlag = endpoint('PUT /projects/:id/feature_flags/:feature_flag_name', {
  summary: 'Update a feature flag',
  scope: project,
  can: abilities.admin_feature_flags,
  params: { feature_flag_name, ...changedFlagParams },
  fails: {
    400: WRONG,
    403: 'Access Denied',
    422: 'PUT operations are not supported for legacy feature flags',
  },
  returns: ok(FeatureFlag),
  run: ({ project: owner, params, ...ctx }) =>
    updateFlag(ctx, owner, findFlag(ctx, owner.id, params.feature_flag_name), params),
})

export const deleteFeatureFlag = endpoint('DELETE /projects/:id/feature_flags/:feature_flag_name', {
  summary: 'Delete a feature flag',
  scope: project,
  can: abilities.admin_feature_flags,
  params: { feature_flag_name },
  fails: { 403: 'Access Denied' },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) => {
    const row = findFlag(ctx, owner.id, params.feature_flag_name)
    http.unmodifiedSince(row.updated_at)
    removeFlag(ctx, owner, row)
  },
})
