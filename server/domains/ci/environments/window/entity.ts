import { z } from 'zod'

import { entity, time, type Presentation } from '../../../../http/entity.ts'
import { UserBasic } from '../../../users/entity.ts'
import { deploymentFields, type DeploymentStatus } from '../entity.ts'
import { TIERS, type Tier } from '../validation.ts'
import type { EnvironmentState } from '../store.ts'
import type { DeploymentLine, EnvironmentLine, EnvironmentView } from './service.ts'

const jobFields = { id: z.int(), name: z.string(), status: z.string(), pipeline_id: z.int() }

const lineFields = {
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

function line({ row, user, commit, job, mayRetry }: DeploymentLine, at: Presentation) {
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
export const WindowDeployment = entity('WindowDeployment', lineFields, line)

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

function present({ row, last, upcoming, ...rest }: EnvironmentView, at: Presentation) {
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
    last_deployment: last && line(last, at),
    upcoming_deployment: upcoming && line(upcoming, at),
    has_failed: rest.hasFailed,
    has_stop_action: rest.hasStopAction,
    may_stop: rest.mayStop,
    may_change: rest.mayChange,
  }
}

/** An environment as the window shows it. */
export const WindowEnvironment = entity('WindowEnvironment', environmentFields, present)

/** A folder with the environment that changed last in it, or an environment outside of folders. */
export const EnvironmentFolder = entity(
  'EnvironmentFolder',
  { folder: z.string().nullable(), size: z.int(), environment: WindowEnvironment.schema },
  ({ folder, size, view }: EnvironmentLine, at) => ({ folder, size, environment: present(view, at) }),
)

/** Counts of active and stopped environments. */
export const EnvironmentCounts = entity(
  'EnvironmentCounts',
  { active: z.int(), stopped: z.int() },
  (row: { active: number; stopped: number }) => row,
)
