import type { Ctx } from '../../../ctx.ts'
import { q, tx } from '../../../db/database.ts'
import type { Environment } from '../../ci_config/index.ts'
import { prepareEnvironment } from '../environments/prepare.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import * as pipelines from '../pipelines/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { projectById } from '../../projects/index.ts'
import { isArchived } from './archived.ts'
import { isRetryable } from './can.ts'
import { changeJob, tellJob } from './change.ts'
import { enqueueJob } from './enqueue.ts'
import { processPipeline } from './process.ts'
import { resetAfter } from './reset.ts'
import * as store from './store.ts'

/**
 * Runs a job again, as a new one of the same name that begins at once in the name of the actor (spec ci 2.2, 2.7). Whoever
 * calls it has asked `isRetryable`; a job that is not stays, and is answered itself.
 */
export function retryJob(ctx: Ctx, job: Pick<JobRow, 'id'>): JobRow {
  return tx(ctx.db, () => {
    const old = jobs.byId(ctx.db, job.id)!
    if (!isRetryable(old)) return old
    const made = repeat(ctx, old, { user_id: ctx.actor.id ?? old.user_id })
    processPipeline(ctx, old.pipeline_id)
    return jobs.byId(ctx.db, made.id)!
  })
}

/** Puts a copy in the place of a job and lets it begin. The caller settles the pipeline. */
export function repeat(ctx: Ctx, old: JobRow, changes: Partial<JobRow>): JobRow {
  const made = copyJob(ctx, old, changes)
  resetAfter(ctx, made, true)
  return enqueueJob(ctx, made)
}

/** Runs the failed and canceled jobs of a pipeline again, and puts back what was left out because of them. */
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

/** A new, created job like an old one, which is out of the pipeline's sight from then on. */
function copyJob(ctx: Ctx, old: JobRow, changes: Partial<JobRow>): JobRow {
  ctx.db.exec('UPDATE ci_jobs SET retried = 1, updated_at = ? WHERE id = ?', ctx.now, old.id)
  const allowsCodes = store.option(ctx.db, old.id, 'allowed_exit_codes') !== null
  const made = ctx.db.get(
    q
      .insertInto('ci_jobs')
      .values({ ...kept(old), ...(allowsCodes ? { allow_failure: false } : {}), ...changes, ...fresh(ctx) })
      .returningAll(),
  )!
  ctx.db.exec(
    `INSERT INTO ci_job_details (job_id, options, variables, own_variables)
     SELECT ?, options, variables, own_variables FROM ci_job_details WHERE job_id = ?`,
    made.id,
    old.id,
  )
  tellJob(ctx, made, null)
  deploy(ctx, made)
  return jobs.byId(ctx.db, made.id)!
}

function kept(old: JobRow) {
  const { pipeline_id, project_id, kind, name, base, stage, stage_index, when, allow_failure, needs } = old
  const { user_id, ref, tag, tag_list, interruptible, resource_group_id, environment } = old
  const { protected: isProtected, environment_action, follows_downstream } = old
  const rules = { stage, stage_index, when, allow_failure, needs, interruptible, resource_group_id }
  const place = { pipeline_id, project_id, kind, name, base, ref, tag, protected: isProtected }
  return { ...place, ...rules, user_id, tag_list, environment, environment_action, follows_downstream }
}

function fresh({ now }: Ctx) {
  return { status: 'created', created_at: now, updated_at: now }
}

/** A copy brings the code to its environment again. */
function deploy(ctx: Ctx, job: JobRow): void {
  if (job.environment === null) return
  const declared = store.optionParts<Environment>(ctx.db, job.id, 'environment')
  const project = projectById(ctx.db, job.project_id)
  const pipeline = pipelines.byId(ctx.db, job.pipeline_id)
  if (!declared || !project || !pipeline) return
  prepareEnvironment(ctx, project, pipeline, job, { ...declared, name: job.environment })
}
