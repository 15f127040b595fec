import { z } from 'zod'

import { entity, time, type Presentation } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import { Job } from '../jobs/entity.ts'
import { TIERS, type Tier } from './validation.ts'
import type { EnvironmentRow, EnvironmentState } from './store.ts'
import type { ScheduledReviewApps } from './service.ts'
import type { DeploymentView, EnvironmentView } from './views.ts'

const basicFields = {
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  external_url: z.string().nullable(),
}

function presentBasic({ id, name, slug, external_url }: EnvironmentRow) {
  return { id, name, slug, external_url }
}

/** An environment within other entities. */
export const EnvironmentBasic = entity('EnvironmentBasic', basicFields, (row: EnvironmentRow) =>
  presentBasic(row),
)

const fields = {
  ...basicFields,
  state: z.enum(['available', 'stopping', 'stopped']),
  tier: z.enum(TIERS),
  created_at: time(),
  updated_at: time(),
}

function presentEnvironment(row: EnvironmentRow) {
  return {
    ...presentBasic(row),
    state: row.state as EnvironmentState,
    tier: row.tier as Tier,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** An environment after it was created or updated. */
export const EnvironmentChange = entity('EnvironmentChange', fields, (row: EnvironmentRow) =>
  presentEnvironment(row),
)

const { tier: _tier, ...stoppedFields } = fields

/** An environment after it was stopped, which has no tier (spec rest-api, Environment). */
export const StoppedEnvironment = entity('StoppedEnvironment', stoppedFields, (row: EnvironmentRow) => {
  const { tier: _, ...presented } = presentEnvironment(row)
  return presented
})

export const deploymentFields = {
  id: z.int(),
  iid: z.int(),
  ref: z.string(),
  sha: z.string(),
  created_at: time(),
  updated_at: time(),
  user: UserBasic.schema.nullable(),
  environment: EnvironmentBasic.schema,
  deployable: Job.schema.nullable(),
  status: z.enum(['created', 'running', 'success', 'failed', 'canceled', 'skipped', 'blocked']),
}

export type DeploymentStatus = z.output<typeof deploymentFields.status>

/** The fields that all entities of a deployment share. */
export function presentDeployment({ row, ...view }: DeploymentView, at: Presentation) {
  return {
    id: row.id,
    iid: row.iid,
    ref: row.ref,
    sha: row.sha,
    created_at: row.created_at,
    updated_at: row.updated_at,
    user: view.user && UserBasic.present(view.user, at),
    environment: presentBasic(view.environment),
    deployable: view.job && Job.present(view.job, at),
    status: row.status,
  }
}

/** A deployment to an environment (spec ci 5.5). */
export const Deployment = entity('Deployment', deploymentFields, presentDeployment)

/** An environment with its last deployment (spec rest-api, Environment). */
export const Environment = entity(
  'Environment',
  {
    ...fields,
    enable_advanced_logs_querying: z.boolean(),
    logs_api_path: z.string(),
    last_deployment: Deployment.schema.nullable(),
  },
  ({ row, path, last }: EnvironmentView, at) => ({
    ...presentEnvironment(row),
    enable_advanced_logs_querying: false,
    logs_api_path: `/${path}/-/logs/k8s.json?environment_name=${encodeURIComponent(row.name)}`,
    last_deployment: last && presentDeployment(last, at),
  }),
)

/** Review apps that are scheduled for deletion (spec ci 5.1). */
export const ReviewAppsDeletion = entity(
  'ReviewAppsDeletion',
  {
    scheduled_entries: z.array(EnvironmentBasic.schema),
    unprocessable_entries: z.array(EnvironmentBasic.schema),
  },
  ({ scheduled }: ScheduledReviewApps) => ({
    scheduled_entries: scheduled.map((row) => presentBasic(row)),
    // This list is empty, because a user who may delete one environment of a project may delete all of them.
    unprocessable_entries: [] as EnvironmentRow[],
  }),
)

/** The answer to a request to stop stale environments. */
export const StaleStop = entity('StaleStop', { message: z.string() }, (message: string) => ({ message }))

type EmptyItem = Record<string, unknown>

/** A single deployment. Approvals are always empty, because protected environments do not exist (spec ci 5.5). */
export const DeploymentDetails = entity(
  'DeploymentDetails',
  {
    ...deploymentFields,
    pending_approval_count: z.int(),
    approvals: z.array(z.looseObject({})),
    approval_summary: z.object({ rules: z.array(z.looseObject({})) }),
  },
  (view: DeploymentView, at) => ({
    ...presentDeployment(view, at),
    pending_approval_count: 0,
    approvals: [] as EmptyItem[],
    approval_summary: { rules: [] as EmptyItem[] },
  }),
)
