import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Project } from '../../projects/index.ts'
import type { Environment } from '../../ci_config/index.ts'
import type { JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import * as deployments from './deployments/store.ts'
import { publishDeployment, publishEnvironment } from './service-events.ts'
import { environmentSlug, folderOf, nameProblems, TIERS, tierOf, type Tier } from './validation.ts'
import * as store from './store.ts'
import { clearEnvironmentOf, declaredUrlOf } from './store-jobs.ts'
import type { EnvironmentRow } from './store.ts'

/** The `environment:` of a job, with variables in its name expanded. */
export type DeclaredEnvironment = Pick<Environment, 'name' | 'action' | 'on_stop' | 'deployment_tier'>

/** The fields of a new environment. */
export interface NewEnvironment {
  readonly name: string
  readonly external_url?: string | null | undefined
  readonly tier?: Tier | undefined
}

/**
 * Returns the environment with the given name, and creates it if it does not exist. Undefined if another environment has
 * the same slug, which only happens for names that look like a generated slug. Call it in a transaction, with a valid
 * name.
 */
export function ensureEnvironment(
  ctx: Ctx,
  projectId: number,
  input: NewEnvironment,
): EnvironmentRow | undefined {
  const existing = store.byName(ctx.db, projectId, input.name)
  if (existing) return existing
  const isSlugTaken = store.bySlug(ctx.db, projectId, environmentSlug(input.name)) !== undefined
  return isSlugTaken ? undefined : insertEnvironment(ctx, projectId, input)
}

/** Stores a new environment and publishes the event. Call it in a transaction, with a valid and unused name. */
export function insertEnvironment(ctx: Ctx, projectId: number, input: NewEnvironment): EnvironmentRow {
  const row = store.insert(ctx.db, {
    project_id: projectId,
    name: input.name,
    slug: environmentSlug(input.name),
    environment_type: folderOf(input.name),
    external_url: input.external_url || null,
    tier: input.tier ?? tierOf(input.name),
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  publishEnvironment(ctx, row)
  return row
}

/**
 * Prepares the environment of a job with `environment:` (spec ci 5.4): creates the environment if it does not exist, and
 * for the action `start` a deployment that follows the job. Returns false if the name is invalid after its variables are
 * expanded; the job then has no environment. Call it when a job or a retry of it is stored.
 */
export function prepareEnvironment(
  ctx: Ctx,
  project: Pick<Project, 'id'>,
  pipeline: PipelineRow,
  job: JobRow,
  declared: DeclaredEnvironment,
): boolean {
  return tx(ctx.db, () => {
    const { name } = declared
    const tier = TIERS.find((entry) => entry === declared.deployment_tier)
    const isValid = nameProblems(name).length === 0
    const environment = isValid ? ensureEnvironment(ctx, project.id, { name, tier }) : undefined
    if (!environment) {
      clearEnvironmentOf(ctx.db, job.id)
      return false
    }
    if (declared.action === 'start' && job.kind === 'job')
      createDeployment(ctx, pipeline, job, declared, environment)
    return true
  })
}

function createDeployment(
  ctx: Ctx,
  pipeline: PipelineRow,
  job: JobRow,
  declared: DeclaredEnvironment,
  environment: EnvironmentRow,
): void {
  if (deployments.ofJob(ctx.db, job.id)) return
  const row = deployments.insert(ctx.db, {
    project_id: environment.project_id,
    environment_id: environment.id,
    job_id: job.id,
    user_id: job.user_id,
    ref: job.ref,
    tag: job.tag,
    sha: pipeline.sha,
    status: 'created',
    on_stop: declared.on_stop,
    created_at: ctx.now,
    updated_at: ctx.now,
    finished_at: null,
  })
  publishDeployment(ctx, row)
}

/**
 * The `CI_ENVIRONMENT_*` variables of a job (spec ci 2.13). A job without an environment has none. The URL is that of the
 * job's configuration, in which variables are not expanded yet, or else that of the environment.
 */
export function environmentVariables(
  ctx: Pick<Ctx, 'db'>,
  project: Pick<Project, 'id'>,
  job: Pick<JobRow, 'id' | 'environment' | 'environment_action'>,
): { key: string; value: string }[] {
  if (job.environment === null) return []
  const environment = store.byName(ctx.db, project.id, job.environment)
  if (!environment) return [{ key: 'CI_ENVIRONMENT_NAME', value: job.environment }]
  const url = declaredUrlOf(ctx.db, job.id) ?? environment.external_url
  return [
    { key: 'CI_ENVIRONMENT_NAME', value: environment.name },
    { key: 'CI_ENVIRONMENT_SLUG', value: environment.slug },
    ...(url ? [{ key: 'CI_ENVIRONMENT_URL', value: url }] : []),
    { key: 'CI_ENVIRONMENT_ACTION', value: job.environment_action ?? 'start' },
    { key: 'CI_ENVIRONMENT_TIER', value: environment.tier },
  ]
}
