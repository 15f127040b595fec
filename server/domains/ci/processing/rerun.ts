import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Environment } from '../../ci_config/index.ts'
import { prepareEnvironment } from '../environments/prepare.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import * as pipelines from '../pipelines/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { projectById } from '../../projects/index.ts'
import { isArchived } from '../policy.ts'
import { changeJob, enqueueJob, processPipeline, resetAfter, publishJobChange } from './state.ts'
import { isFinished, isPlayable, isRetryable } from './status.ts'
import * as store from './store.ts'

/**
 * Runs a job again, as a new job of the same name that the actor starts immediately (spec ci 2.2, 2.7). The caller checks
 * `isRetryable`. A job that is not retryable is returned unchanged.
 */
export function retryJob(ctx: Ctx, job: Pick<JobRow, 'id'>): JobRow {
  return tx(ctx.db, () => {
    const old = jobs.byId(ctx.db, job.id)!
    if (!isRetryable(old)) return old
    const copy = rerunJob(ctx, old, { user_id: ctx.actor.id ?? old.user_id })
    processPipeline(ctx, old.pipeline_id)
    return jobs.byId(ctx.db, copy.id)!
  })
}

/** Replaces a job by a copy and starts the copy. The caller processes the pipeline. */
export function rerunJob(ctx: Ctx, old: JobRow, changes: Partial<JobRow>): JobRow {
  const copy = copyJob(ctx, old, changes)
  resetAfter(ctx, copy, true)
  return enqueueJob(ctx, copy)
}

/** Runs the failed and canceled jobs of a pipeline again, and resets all skipped jobs. */
export function retryPipeline(ctx: Ctx, pipeline: Pick<PipelineRow, 'id'>): PipelineRow {
  return tx(ctx.db, () => {
    for (const old of store.newestIn(ctx.db, pipeline.id, ['failed', 'canceled'])) {
      if (isRetryable(old) && !isArchived(ctx, old))
        copyJob(ctx, old, { user_id: ctx.actor.id ?? old.user_id })
    }
    for (const job of store.newestIn(ctx.db, pipeline.id, ['skipped'])) {
      if (job.kind !== 'external') changeJob(ctx, job, { status: 'created' })
    }
    processPipeline(ctx, pipeline.id)
    return pipelines.byId(ctx.db, pipeline.id)!
  })
}

/** Creates a copy of a job and marks the old job as retried. */
function copyJob(ctx: Ctx, old: JobRow, changes: Partial<JobRow>): JobRow {
  store.markRetried(ctx.db, old.id, ctx.now)
  const allowsCodes = store.option(ctx.db, old.id, 'allowed_exit_codes') !== null
  const copy = store.insertCopy(ctx.db, old.id, {
    ...copiedColumns(old),
    ...(allowsCodes ? { allow_failure: false } : {}),
    ...changes,
    status: 'created',
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  publishJobChange(ctx, copy, null)
  prepareEnvironmentOf(ctx, copy)
  return jobs.byId(ctx.db, copy.id)!
}

/** The columns of a copy that are the same as in the old job. */
function copiedColumns(old: JobRow) {
  const { pipeline_id, project_id, kind, name, base, stage, stage_index, when, allow_failure, needs } = old
  const { user_id, ref, tag, tag_list, interruptible, resource_group_id, environment } = old
  const { protected: isProtected, environment_action, follows_downstream } = old
  const rules = { stage, stage_index, when, allow_failure, needs, interruptible, resource_group_id }
  const identity = { pipeline_id, project_id, kind, name, base, ref, tag, protected: isProtected }
  return { ...identity, ...rules, user_id, tag_list, environment, environment_action, follows_downstream }
}

/** Prepares the environment of a copy, which deploys to it again. */
function prepareEnvironmentOf(ctx: Ctx, job: JobRow): void {
  if (job.environment === null) return
  const declared = store.optionObject<Environment>(ctx.db, job.id, 'environment')
  const project = projectById(ctx.db, job.project_id)
  const pipeline = pipelines.byId(ctx.db, job.pipeline_id)
  if (!declared || !project || !pipeline) return
  prepareEnvironment(ctx, project, pipeline, job, { ...declared, name: job.environment })
}

/** A variable of the user who starts a job. */
export interface OwnVariable {
  readonly key: string
  readonly value: string
}

const PURPOSE = 'ci_job_details.own_variables'

/**
 * Starts a manual or delayed job as the actor (spec ci 2.7). A finished job runs again as a new job. The caller checks
 * `isPlayable`. A job that is not playable is returned unchanged.
 */
export function playJob(ctx: Ctx, job: Pick<JobRow, 'id'>, variables?: readonly OwnVariable[]): JobRow {
  return tx(ctx.db, () => {
    const row = jobs.byId(ctx.db, job.id)!
    if (!isPlayable(row)) return row
    const retried = isFinished(row.status) ? retryJob(ctx, row) : undefined
    if (variables && variables.length > 0) setVariables(ctx, retried?.id ?? row.id, variables)
    if (retried) return retried
    enqueueJob(ctx, row, { user_id: ctx.actor.id ?? row.user_id })
    resetAfter(ctx, row)
    processPipeline(ctx, row.pipeline_id)
    return jobs.byId(ctx.db, row.id)!
  })
}

function setVariables(ctx: Ctx, jobId: number, variables: readonly OwnVariable[]): void {
  const values = variables.map(({ key, value }) => ({ key, value }))
  store.setOwnVariables(ctx.db, jobId, ctx.secrets.seal(JSON.stringify(values), PURPOSE))
}
