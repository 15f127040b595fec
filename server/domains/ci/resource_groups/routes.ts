import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { choice, text } from '../../../http/params.ts'
import { ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { JobBasic } from '../jobs/entity.ts'
import { abilities } from '../policy.ts'
import { changeMode, currentJob, findGroups, getGroup, upcomingJobs } from './service.ts'
import { entity, time, row } from '../../../http/entity.ts'
import type { ResourceGroupRow } from './store.ts'

/** The orders in which waiting jobs get the resource of their group (spec ci 2.11). */
const PROCESS_MODES = ['unordered', 'oldest_first', 'newest_first'] as const

/** A resource group (spec ci 2.11). */
const ResourceGroup = entity(
  'ResourceGroup',
  {
    id: z.int(),
    key: z.string(),
    process_mode: z.enum(PROCESS_MODES),
    created_at: time(),
    updated_at: time(),
  },
  row<ResourceGroupRow>(),
)

const key = text({ max: 1100 }).describe('The key of the resource group')

export const listResourceGroups = endpoint('GET /projects/:id/resource_groups', {
  summary: 'List resource groups',
  scope: project,
  can: abilities.read_resource_groups,
  returns: page(ResourceGroup),
  run: ({ project: owner, paging, ...ctx }) => findGroups(ctx, owner, paging),
})

export const getResourceGroup = endpoint('GET /projects/:id/resource_groups/:key', {
  summary: 'Get a single resource group',
  scope: project,
  can: abilities.read_resource_groups,
  params: { key },
  returns: ok(ResourceGroup),
  run: ({ project: owner, params, ...ctx }) => getGroup(ctx, owner, params.key),
})

export const getCurrentJob = endpoint('GET /projects/:id/resource_groups/:key/current_job', {
  summary: 'Get the current job of a resource group',
  scope: project,
  can: abilities.read_resource_groups,
  params: { key },
  fails: { 404: 'The resource group does not exist, or no job uses its resource' },
  returns: ok(JobBasic),
  run: ({ project: owner, params, ...ctx }) => currentJob(ctx, owner, params.key),
})

export const listUpcomingJobs = endpoint('GET /projects/:id/resource_groups/:key/upcoming_jobs', {
  summary: 'List upcoming jobs of a resource group',
  scope: project,
  can: abilities.read_resource_groups,
  params: { key },
  returns: page(JobBasic),
  run: ({ project: owner, params, paging, ...ctx }) => upcomingJobs(ctx, owner, params.key, paging),
})

export const putResourceGroup = endpoint('PUT /projects/:id/resource_groups/:key', {
  summary: 'Update a resource group',
  scope: project,
  can: abilities.change_resource_group,
  params: {
    key,
    process_mode: choice(...PROCESS_MODES)
      .optional()
      .describe('The order of waiting jobs. `oldest_first` and `newest_first` sort them by pipeline'),
  },
  returns: ok(ResourceGroup),
  run: ({ project: owner, params, ...ctx }) =>
    params.process_mode === undefined
      ? getGroup(ctx, owner, params.key)
      : changeMode(ctx, owner, params.key, params.process_mode),
})
