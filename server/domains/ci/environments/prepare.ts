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
import { clearEnvironmentOf } from './store-jobs.ts'
import type { EnvironmentRow } from './store.ts'

/** `environment:` of a job with the variables of its name put in. */
export type DeclaredEnvironment = Pick<Environment, 'name' | 'action' | 'on_stop' | 'deployment_tier'>

/** What can be said of an environment when it is made. */
export interface NewEnvironment {
  readonly name: string
  readonly external_url?: string | null | undefined
  readonly tier?: Tier | undefined
}

/**
 * The environment of a name, made where it is missing; undefined where another one has its slug already, which takes a
 * name like the slug of another. To be called in a transaction, with a name that is good.
 */
export function ensureEnvironment(
  ctx: Ctx,
  projectId: number,
  given: NewEnvironment,
): EnvironmentRow | undefined {
  const found = store.byName(ctx.db, projectId, given.name)
  if (found) return found
  const isSlugTaken = store.bySlug(ctx.db, projectId, environmentSlug(given.name)) !== undefined
  return isSlugTaken ? undefined : insertEnvironment(ctx, projectId, given)
}

/** Stores a new environment and publishes the event. Call it in a transaction, with a valid name that is free. */
export function insertEnvironment(ctx: Ctx, projectId: number, given: NewEnvironment): EnvironmentRow {
  const row = store.insert(ctx.db, {
    project_id: projectId,
    name: given.name,
    slug: environmentSlug(given.name),
    environment_type: folderOf(given.name),
    external_url: given.external_url || null,
    tier: given.tier ?? tierOf(given.name),
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  publishEnvironment(ctx, row)
  return row
}

/**
 * Makes what a job with `environment:` needs: the environment where it is missing, and for the action `start` a
 * deployment that follows the job. A name that is none once its variables are put in leaves the job without environment;
 * false then (spec ci 5.4). To be called when the job is stored, a copy of a retried job as well.
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
    const tier = TIERS.find((one) => one === declared.deployment_tier)
    const isGood = nameProblems(name).length === 0
    const environment = isGood ? ensureEnvironment(ctx, project.id, { name, tier }) : undefined
    if (!environment) {
      clearEnvironmentOf(ctx.db, job.id)
      return false
    }
    if (declared.action === 'start' && job.kind === 'job') begin(ctx, pipeline, job, declared, environment)
    return true
  })
}

function begin(
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
