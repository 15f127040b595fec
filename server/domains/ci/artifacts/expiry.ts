import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import { secondsOf } from '../../ci_config/index.ts'
import { ArtifactsChanged } from '../events.ts'
import { requestRemoval, removeDeletedFiles, removeDeletedFilesJob, removeOrphans } from './disk.ts'
import * as store from './store.ts'
import { pipelineAndChildIds, lastSuccess, newestWithArchive, unlockArtifacts } from './store.ts'
import { projectById } from '../../projects/index.ts'
import { byId as pipelineById, type PipelineRow } from '../pipelines/store.ts'
import type { JobRow } from '../jobs/store.ts'
import { cron, job, type CronLine, type Job } from '../../../jobs/job.ts'

type PipelineRef = Pick<PipelineRow, 'project_id' | 'ref' | 'tag'>

/** The maximum number of ancestors to follow from a child pipeline. */
const MAX_DEPTH = 10

/** The root ancestor of a child pipeline. */
export function rootOf(db: Database, pipeline: PipelineRow): PipelineRow {
  let root = pipeline
  for (let depth = 0; depth < MAX_DEPTH && root.source === 'parent_pipeline'; depth++) {
    const parent =
      root.upstream_pipeline_id === null ? undefined : pipelineById(db, root.upstream_pipeline_id)
    if (!parent) break
    root = parent
  }
  return root
}

/**
 * Whether the files of a job are kept after they expire, because they belong to the last successful pipeline of a ref.
 */
export function isKept(
  ctx: Pick<Ctx, 'db' | 'now'>,
  job: Pick<JobRow, 'project_id' | 'pipeline_id'>,
): boolean {
  if (!settingsOf(ctx).keep_latest_artifact) return false
  if (projectById(ctx.db, job.project_id)?.keep_latest_artifact !== true) return false
  const pipeline = pipelineById(ctx.db, job.pipeline_id)
  if (!pipeline) return false
  const root = rootOf(ctx.db, pipeline)
  return !root.artifacts_unlocked && lastSuccess(ctx.db, root)?.id === root.id
}

/** Whether the files of a job have expired and are not kept (`isKept`). */
export function isExpired(
  ctx: Pick<Ctx, 'db' | 'now'>,
  job: Pick<JobRow, 'project_id' | 'pipeline_id' | 'artifacts_expire_at'>,
): boolean {
  return job.artifacts_expire_at !== null && job.artifacts_expire_at <= ctx.now && !isKept(ctx, job)
}

/** Lets the files of the last successful pipeline of a deleted branch or tag expire. */
export function unlockRef(db: Database, ref: PipelineRef): void {
  const last = lastSuccess(db, ref)
  if (last) unlockArtifacts(db, last.id)
}

/**
 * Finds the job with the given name and an archive in the last successful pipeline of a branch or tag, or in one of its
 * child pipelines (spec ci 2.7).
 */
export function latestWithArchive(
  db: Database,
  target: { readonly project_id: number; readonly ref: string },
  name: string,
): JobRow | undefined {
  const pipelines = [false, true].flatMap((tag) => lastSuccess(db, { ...target, tag }) ?? [])
  const newest = pipelines.sort((a, b) => b.id - a.id)[0]
  return newest && newestWithArchive(db, pipelineAndChildIds(db, newest.id), name)
}

/** The lifetime in seconds if the setting is not a valid duration. */
const DEFAULT_LIFETIME = 30 * 24 * 60 * 60
/** The number of jobs or files per transaction. */
const BATCH = 50

/**
 * Returns the time at which files expire, or null for never. Without `expireIn` the setting of the instance applies.
 * Throws 400 for an invalid duration.
 */
export function expiryTime(ctx: Pick<Ctx, 'db' | 'now'>, expireIn: string | undefined): string | null {
  const input = expireIn?.trim() || undefined
  const text = input ?? settingsOf(ctx).default_artifacts_expire_in.trim()
  if (text === 'never' || text === '0') return null
  const seconds = secondsOf(text) ?? (input === undefined ? DEFAULT_LIFETIME : NaN)
  const end = Date.parse(ctx.now) + seconds * 1000
  if (!(end <= Date.parse('9999-12-31'))) throw fail('parameter', 'expire_in is invalid')
  return seconds === 0 ? null : new Date(end).toISOString()
}

/** Deletes expired files, except those of the last successful pipeline of a ref. */
export async function expire(ctx: Ctx): Promise<void> {
  let after = { ends_at: '', id: 0 }
  for (;;) {
    const jobs = store.expiredJobs(ctx.db, ctx.now, after, BATCH)
    const expired = jobs.filter((job) => !isKept(ctx, job))
    // A whole batch shares one transaction, because each commit waits for the disk.
    if (expired.length > 0) tx(ctx.db, () => expired.forEach((job) => removeFiles(ctx, job, null)))
    after = jobs.at(-1) ?? after
    if (jobs.length < BATCH) return
    // Requests can run between two batches.
    await setImmediate()
  }
}

/** Sets the expiry time of the files of all jobs of a project to now. */
async function expireAllNow(ctx: Ctx, projectId: number): Promise<void> {
  let after = 0
  for (;;) {
    const files = store.filesFrom(ctx.db, projectId, after, BATCH)
    const jobs = new Set(files.map((file) => file.job_id))
    tx(ctx.db, () => jobs.forEach((id) => store.setExpiry(ctx.db, id, ctx.now)))
    after = files.at(-1)?.id ?? after
    if (files.length < BATCH) return
    await setImmediate()
  }
}

/**
 * Deletes the artifacts of a job except its log. A background job deletes the files. Returns whether there were any.
 */
export function removeFiles(
  ctx: Ctx,
  { id, project_id }: { readonly id: number; readonly project_id: number },
  actor_id: number | null,
): boolean {
  return tx(ctx.db, () => {
    if (!store.removeArtifacts(ctx.db, id)) return false
    publish(ctx, ArtifactsChanged, { project_id, job_id: id, actor_id })
    requestRemoval(ctx)
    return true
  })
}

/** Lets the artifacts of all jobs of a project expire now, and deletes those that are not kept. */
export const endArtifacts = job(
  'ci.end_artifacts',
  { args: { project_id: z.number() } },
  async (ctx, { project_id }) => {
    await expireAllNow(ctx, project_id)
    await expire(ctx)
  },
)

export const jobs: Job[] = [removeDeletedFilesJob as Job, endArtifacts as Job]

export const crons: CronLine[] = [
  cron('ci.expire_artifacts', '7 * * * *', expire),
  // When artifacts are deleted together with their pipeline, nothing enqueues the deletion of their files.
  cron('ci.remove_gone_artifact_files', '*/10 * * * *', removeDeletedFiles),
  cron('ci.remove_orphaned_artifacts', '50 3 * * *', removeOrphans),
]
