import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import { fail, Failure, notFound } from '../../../lib/fail.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { projectById, type Project, project } from '../../projects/index.ts'
import { eraseJob } from '../artifacts/service.ts'
import { artifactsOf } from '../artifacts/store.ts'
import { maySetVariables, isArchived, mayChange } from '../policy.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { cancelJob, finishJob, startJob } from '../processing/run.ts'
import { playJob, retryJob } from '../processing/rerun.ts'
import { isFinished, isPlayable, isRetryable } from '../processing/status.ts'
import { type BridgeView, type JobView, showBridges, showJob, showJobs } from './view.ts'
import { type JobFilter, type JobPage, jobsOfPipeline, jobsOfProject, type JobRow, byId } from './store.ts'
import * as store from './store.ts'
import { tx } from '../../../db/database.ts'
import { appendTrace } from '../traces/service.ts'

/** Lists the jobs of a pipeline, with the data of the entity `Job`. */
export async function findJobsOf(
  ctx: Ctx,
  owner: Project,
  pipeline: PipelineRow,
  query: { readonly scope?: JobFilter['statuses']; readonly include_retried: boolean },
  page: JobPage,
): Promise<Rows<JobView>> {
  const filter: JobFilter = { kind: 'job', statuses: query.scope, withRetried: query.include_retried }
  const result = jobsOfPipeline(ctx.db, pipeline.id, filter, page)
  return { ...result, rows: await showJobs(ctx, owner, result.rows) }
}

/** Lists the trigger jobs of a pipeline, with the data of the entity `Bridge`. */
export async function findBridgesOf(
  ctx: Ctx,
  owner: Project,
  pipeline: PipelineRow,
  scope: JobFilter['statuses'],
  page: JobPage,
): Promise<Rows<BridgeView>> {
  const filter: JobFilter = { kind: 'bridge', statuses: scope, withRetried: false }
  const result = jobsOfPipeline(ctx.db, pipeline.id, filter, page)
  return { ...result, rows: await showBridges(ctx, owner, result.rows) }
}

/** Lists the jobs of a project, newest first. With `keyset` the store returns one more row if there is a next page. */
export async function findJobs(
  ctx: Ctx,
  owner: Project,
  scope: JobFilter['statuses'],
  page: JobPage & { readonly keyset: boolean },
): Promise<Rows<JobView>> {
  const result = jobsOfProject(ctx.db, owner.id, { kind: 'job', statuses: scope, withRetried: true }, page)
  if (!page.keyset) return { ...result, rows: await showJobs(ctx, owner, result.rows) }
  const isLast = result.rows.length < page.limit
  const rows = isLast ? result.rows : result.rows.slice(0, -1)
  const next = isLast ? undefined : { cursor: makeCursor(rows.at(-1)!.id) }
  return { rows: await showJobs(ctx, owner, rows), next }
}

/** Returns a job of a project with one of the given kinds. Throws 404 if the project has no such job. */
export function getJob(
  ctx: Ctx,
  owner: Project,
  id: number,
  kinds: readonly JobRow['kind'][] = ['job'],
): JobRow {
  const row = store.byId(ctx.db, id)
  if (row?.project_id !== owner.id || !kinds.includes(row.kind)) throw fail('not_found', '404 Not found')
  return row
}

/** Returns the job that the token of the request belongs to. Throws 404 for other credentials. */
export async function ownJob(ctx: Ctx): Promise<JobView> {
  const { actor } = ctx
  const row = actor.kind === 'user' && actor.job ? store.byId(ctx.db, actor.job.id) : undefined
  const owner = row && projectById(ctx.db, row.project_id)
  if (!row || !owner) throw notFound('Job')
  return showJob(ctx, owner, row)
}

/** Makes the opaque cursor of a page in a list of jobs (spec core 8.6). */
export function makeCursor(id: number): string {
  return Buffer.from(JSON.stringify({ id: String(id), _kd: 'n' })).toString('base64url')
}

/** Reads a cursor. Throws 400 for an invalid one. */
export function readCursor(cursor: string): number {
  try {
    const content = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as Record<string, unknown>
    const id = content['id']
    if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id)
  } catch {
    // The text is no JSON, so the error below is thrown.
  }
  throw new Failure('parameter', 'cursor is invalid')
}

/** Throws 403 if the actor may not change the job. */
function checkMayChange(ctx: Ctx, owner: Project, row: JobRow): void {
  if (!mayChange(ctx, owner, row)) throw fail('forbidden')
}

/**
 * Cancels a job. A finished job stays unchanged. With `force` the job is canceled without waiting for its runner. Throws
 * 403 if the actor may not change the job.
 */
export function cancel(ctx: Ctx, owner: Project, row: JobRow, force: boolean): JobRow {
  checkMayChange(ctx, owner, row)
  const canceled = cancelJob(ctx, row)
  return force && canceled.status === 'canceling' ? cancelJob(ctx, canceled) : canceled
}

/** Runs a job again and returns the new job. Throws 403 if the job cannot be retried, or the actor may not change it. */
export function retry(ctx: Ctx, owner: Project, row: JobRow): JobRow {
  checkMayChange(ctx, owner, row)
  if (!isRetryable(row) || isArchived(ctx, row))
    throw fail('forbidden', '403 Forbidden - Job is not retryable')
  return retryJob(ctx, row)
}

/**
 * Starts a manual or delayed job. If it has already run, it runs again as a new job. Throws 400 for a job that cannot be
 * started, and 403 for an archived job, without permission to change the job, and without permission to set variables.
 */
export function play(
  ctx: Ctx,
  owner: Project,
  row: JobRow,
  variables: readonly { readonly key: string; readonly value: string }[] = [],
): JobRow {
  checkMayChange(ctx, owner, row)
  if (variables.length > 0 && !maySetVariables(ctx, owner)) throw fail('forbidden')
  if (isArchived(ctx, row)) throw fail('forbidden', '403 Forbidden - Job is archived')
  if (!isPlayable(row)) throw fail('bad_request', '400 Bad request - Unplayable Job')
  return playJob(ctx, row, variables)
}

/** Whether the actor may erase a job. Users who are not maintainers may erase only jobs that they ran themselves. */
function mayErase(ctx: Ctx, owner: Project, row: JobRow): boolean {
  if (ctx.actor.is_admin || project.roleOf(ctx, owner) >= MAINTAINER) return true
  return row.user_id !== null && row.user_id === ctx.actor.id && mayChange(ctx, owner, row)
}

/** Deletes the log and the artifacts of a finished job. Throws 403 if the job or the actor does not allow it. */
export async function erase(ctx: Ctx, owner: Project, row: JobRow): Promise<JobRow> {
  if (!mayErase(ctx, owner, row)) throw fail('forbidden')
  const hasContent = row.trace_size > 0 || artifactsOf(ctx.db, [row.id]).size > 0
  if (!isFinished(row.status) || !hasContent || row.erased_at !== null)
    throw fail('forbidden', '403 Forbidden - Job is not erasable!')
  return eraseJob(ctx, row)
}

/** The result and the log of a job that was run without a runner. */
interface RecordedRun {
  readonly status: 'success' | 'failed' | 'running' | 'canceled'
  readonly log: string
  readonly exit_code: number
}

/** The timeout in seconds of a recorded job that stays running. */
const RECORDED_TIMEOUT = 3600

/**
 * Starts and ends a pending job with a recorded result, in one transaction. The times are those of the two contexts. With
 * the status `running` the job stays running. Throws 409 if the job is not pending.
 */
export function runRecorded(startCtx: Ctx, endCtx: Ctx, jobId: number, recorded: RecordedRun): JobRow {
  return tx(endCtx.db, () => record(startCtx, endCtx, jobId, recorded))
}

function record(startCtx: Ctx, endCtx: Ctx, jobId: number, recorded: RecordedRun): JobRow {
  const columns = { runner_id: null, runner_system_id: null, token_digest: null, timeout: RECORDED_TIMEOUT }
  const job = startJob(startCtx, jobId, columns)
  if (!job) throw fail('conflict', 'The job is not pending.')
  appendTrace(endCtx, job, 0, Buffer.from(recorded.log, 'utf8'))
  const { status, exit_code } = recorded
  if (status === 'running') return job
  if (status === 'canceled') return cancelJob(endCtx, job)
  const failure_reason = status === 'failed' ? 'script_failure' : null
  return finishJob(endCtx, byId(endCtx.db, jobId)!, { status, failure_reason, exit_code })
}
