import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, int, text, timestamp } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import {
  Environment,
  EnvironmentChange,
  ReviewAppsDeletion,
  StaleStop,
  StoppedEnvironment,
  deploymentFields,
  type DeploymentStatus,
} from './entity.ts'
import { abilities } from '../policy.ts'
import {
  scheduleReviewApps,
  findEnvironment,
  checkSlug,
  createEnvironment,
  deleteEnvironment,
  getEnvironment,
  listEnvironments,
  updateEnvironment,
  stopStaleEnvironments,
} from './service.ts'
import { stopOnRequest, cancelAutoStop } from './stop.ts'
import {
  countByState,
  deploymentItems,
  listItems,
  viewOf,
  type DeploymentItem,
  type EnvironmentItem,
  type EnvironmentView,
} from './window/service.ts'
import { z } from 'zod'
import { entity, time, type Presentation } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import { TIERS, type Tier } from './validation.ts'
import type { EnvironmentState } from './store.ts'

const jobFields = { id: z.int(), name: z.string(), status: z.string(), pipeline_id: z.int() }

const deploymentItemFields = {
  id: z.int(),
  iid: z.int(),
  status: deploymentFields.status,
  ref: z.string(),
  tag: z.boolean(),
  sha: z.string(),
  title: z.string().nullable(),
  user: UserBasic.schema.nullable(),
  job: z.strictObject(jobFields).nullable(),
  may_retry: z.boolean(),
  created_at: time(),
  finished_at: time().nullable(),
}

function presentDeployment({ row, user, commit, job, mayRetry }: DeploymentItem, at: Presentation) {
  return {
    id: row.id,
    iid: row.iid,
    status: row.status as DeploymentStatus,
    ref: row.ref,
    tag: row.tag,
    sha: row.sha,
    title: commit?.title ?? null,
    user: user && UserBasic.present(user, at),
    job: job && { id: job.id, name: job.name, status: job.status, pipeline_id: job.pipeline_id },
    may_retry: mayRetry,
    created_at: row.created_at,
    finished_at: row.finished_at,
  }
}

/** A deployment in a list of the window. */
const WindowDeployment = entity('WindowDeployment', deploymentItemFields, presentDeployment)

const environmentFields = {
  id: z.int(),
  name: z.string(),
  folder: z.string().nullable(),
  slug: z.string(),
  external_url: z.string().nullable(),
  state: z.enum(['available', 'stopping', 'stopped']),
  tier: z.enum(TIERS),
  auto_stop_at: time().nullable(),
  auto_delete_at: time().nullable(),
  created_at: time(),
  updated_at: time(),
  last_deployment: WindowDeployment.schema.nullable(),
  upcoming_deployment: WindowDeployment.schema.nullable(),
  has_failed: z.boolean(),
  has_stop_action: z.boolean(),
  may_stop: z.boolean(),
  may_change: z.boolean(),
}

function presentEnvironment({ row, last, upcoming, ...view }: EnvironmentView, at: Presentation) {
  return {
    id: row.id,
    name: row.name,
    folder: row.environment_type,
    slug: row.slug,
    external_url: row.external_url,
    state: row.state as EnvironmentState,
    tier: row.tier as Tier,
    auto_stop_at: row.auto_stop_at,
    auto_delete_at: row.auto_delete_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    last_deployment: last && presentDeployment(last, at),
    upcoming_deployment: upcoming && presentDeployment(upcoming, at),
    has_failed: view.hasFailed,
    has_stop_action: view.hasStopAction,
    may_stop: view.mayStop,
    may_change: view.mayChange,
  }
}

/** An environment as the window shows it. */
const WindowEnvironment = entity('WindowEnvironment', environmentFields, presentEnvironment)

/** A folder with the environment that changed last in it, or an environment outside of folders. */
const EnvironmentFolder = entity(
  'EnvironmentFolder',
  { folder: z.string().nullable(), size: z.int(), environment: WindowEnvironment.schema },
  ({ folder, size, view }: EnvironmentItem, at) => ({
    folder,
    size,
    environment: presentEnvironment(view, at),
  }),
)

/** The numbers of active and of stopped environments. */
const EnvironmentCounts = entity(
  'EnvironmentCounts',
  { active: z.int(), stopped: z.int() },
  (row: { active: number; stopped: number }) => row,
)

const environment_id = int().describe('The ID of the environment')

export const environmentLines = endpoint('GET /-/projects/:id/environments', {
  summary: 'List project environments for the window',
  scope: project,
  can: abilities.read_environment,
  params: {
    side: choice('active', 'stopped').default('active').describe('Filter by active or stopped environments'),
    search: text({ max: 255 })
      .optional()
      .describe('Filter by part of the name. The result then contains no folders'),
    folder: text({ max: 255 }).optional().describe('Filter by folder'),
  },
  returns: page(EnvironmentFolder),
  run: ({ project: owner, params, paging, ...ctx }) => listItems(ctx, owner, params, paging),
})

export const environmentCounts = endpoint('GET /-/projects/:id/environments/counts', {
  summary: 'Count project environments',
  scope: project,
  can: abilities.read_environment,
  returns: ok(EnvironmentCounts),
  run: ({ project: owner, ...ctx }) => countByState(ctx, owner),
})

export const windowEnvironment = endpoint('GET /-/projects/:id/environments/:environment_id', {
  summary: 'Get a single environment for the window',
  scope: project,
  can: abilities.read_environment,
  params: { environment_id },
  returns: ok(WindowEnvironment),
  run: ({ project: owner, params, ...ctx }) =>
    viewOf(ctx, owner, findEnvironment(ctx, owner, params.environment_id)),
})

export const environmentDeployments = endpoint(
  'GET /-/projects/:id/environments/:environment_id/deployments',
  {
    summary: 'List the deployments of an environment',
    scope: project,
    can: abilities.read_deployment,
    params: { environment_id },
    returns: page(WindowDeployment),
    run: ({ project: owner, params, paging, ...ctx }) =>
      deploymentItems(ctx, owner, findEnvironment(ctx, owner, params.environment_id), paging),
  },
)

export const keepEnvironment = endpoint('POST /-/projects/:id/environments/:environment_id/keep', {
  summary: 'Cancel the automatic stop of an environment',
  scope: project,
  can: abilities.update_environment,
  params: { environment_id },
  returns: ok(WindowEnvironment),
  run: ({ project: owner, params, ...ctx }) => {
    const row = findEnvironment(ctx, owner, params.environment_id)
    return viewOf(ctx, owner, cancelAutoStop(ctx, row))
  },
})

const name = text({ max: 4096 })
const settings = {
  external_url: text({ max: 4096 })
    .nullable()
    .optional()
    .describe('The URL of the environment, at most 255 characters'),
  tier: choice(...TIERS)
    .optional()
    .describe('The tier of the environment. By default it is derived from the name'),
  slug: text().optional().describe('Not accepted. The slug is derived from the name'),
}

export const getEnvironments = endpoint('GET /projects/:id/environments', {
  summary: 'List project environments',
  scope: project,
  can: abilities.read_environment,
  jobToken: true,
  params: {
    name: name.optional().describe('Filter by exact name. Cannot be combined with `search`'),
    search: text({ max: 255 }).optional().describe('Filter by part of the name, at least three characters'),
    states: choice('available', 'stopping', 'stopped').optional().describe('Filter by state'),
  },
  fails: { 400: 'The search term is too short' },
  returns: page(Environment),
  run: ({ project: owner, params, paging, ...ctx }) => listEnvironments(ctx, owner, params, paging),
})

export const getOneEnvironment = endpoint('GET /projects/:id/environments/:environment_id', {
  summary: 'Get a single environment',
  scope: project,
  can: abilities.read_environment,
  jobToken: true,
  params: { environment_id },
  returns: ok(Environment),
  run: ({ project: owner, params, ...ctx }) => getEnvironment(ctx, owner, params.environment_id),
})

export const postEnvironment = endpoint('POST /projects/:id/environments', {
  summary: 'Create an environment',
  scope: project,
  can: abilities.create_environment,
  jobToken: true,
  params: { name: name.describe('The name. The part before the first `/` is the folder'), ...settings },
  fails: { 400: 'A value is invalid' },
  returns: created(EnvironmentChange),
  run: ({ project: owner, params, ...ctx }) => {
    checkSlug(params.slug)
    return createEnvironment(ctx, owner, params)
  },
})

export const putEnvironment = endpoint('PUT /projects/:id/environments/:environment_id', {
  summary: 'Update an environment',
  scope: project,
  can: abilities.update_environment,
  jobToken: true,
  params: {
    environment_id,
    name: name.optional().describe('The new name. The slug does not change'),
    ...settings,
  },
  fails: { 400: 'A value is invalid' },
  returns: ok(EnvironmentChange),
  run: ({ project: owner, params, ...ctx }) => {
    checkSlug(params.slug)
    return updateEnvironment(ctx, owner, findEnvironment(ctx, owner, params.environment_id), params)
  },
})

export const removeReviewApps = endpoint('DELETE /projects/:id/environments/review_apps', {
  summary: 'Delete multiple stopped review apps',
  scope: project,
  can: abilities.read_environment,
  jobToken: true,
  params: {
    before: timestamp()
      .optional()
      .describe('Select environments that were created before this time. The default is 30 days ago'),
    limit: int({ min: 1, max: 1000 }).default(100).describe('The maximum number of environments'),
    dry_run: bool()
      .default(true)
      .describe('Return the matching environments without scheduling their deletion'),
  },
  fails: { 400: 'There are no matching environments' },
  returns: ok(ReviewAppsDeletion),
  run: ({ project: owner, params, ...ctx }) => scheduleReviewApps(ctx, owner, params),
})

export const removeEnvironment = endpoint('DELETE /projects/:id/environments/:environment_id', {
  summary: 'Delete a stopped environment',
  scope: project,
  can: abilities.destroy_environment,
  jobToken: true,
  params: { environment_id },
  returns: noContent,
  run: ({ project: owner, params, ...ctx }) => {
    const row = findEnvironment(ctx, owner, params.environment_id)
    ctx.http.unmodifiedSince(row.updated_at)
    deleteEnvironment(ctx, row)
  },
})

export const postStop = endpoint('POST /projects/:id/environments/:environment_id/stop', {
  summary: 'Stop an environment',
  scope: project,
  can: abilities.stop_environment,
  jobToken: true,
  params: {
    environment_id,
    force: bool().default(false).describe('Stop the environment without running its stop jobs'),
  },
  returns: ok(StoppedEnvironment),
  run: ({ project: owner, params, ...ctx }) => {
    const row = findEnvironment(ctx, owner, params.environment_id)
    return stopOnRequest(ctx, owner, row, { force: params.force })
  },
})

export const postStopStale = endpoint('POST /projects/:id/environments/stop_stale', {
  summary: 'Stop stale environments',
  scope: project,
  can: abilities.stop_environment,
  jobToken: true,
  params: {
    before: timestamp().describe(
      'Stop environments without changes and deployments since this time, at least a week ago',
    ),
  },
  fails: { 400: 'The time is less than a week or more than ten years ago' },
  returns: ok(StaleStop),
  run: ({ project: owner, params, ...ctx }) => stopStaleEnvironments(ctx, owner, params.before),
})
