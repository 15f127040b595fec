import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { enqueue } from '../../../jobs/job.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import type { CompiledJob } from '../../ci_config/index.ts'
import { ArtifactsChanged } from '../events.ts'
import { byId as jobById, detailsOf, type JobRow } from '../jobs/store.ts'
import { readTestReports } from '../reports/jobs.ts'
import { insistRunning } from '../runner_protocol/job-auth.ts'
import { eraseTrace } from '../traces/service.ts'
import { adopt, removeContent } from './content.ts'
import { endOfTime, removeFiles } from './expiry.ts'
import { keepExports, readExports } from './exports.ts'
import { endArtifacts } from './jobs.ts'
import * as store from './store.ts'
import { formatOf, limitOf, type Accessibility, type ArtifactType, type Format } from './types.ts'

const BY_ACCESS: Readonly<Record<string, Accessibility>> = {
  all: 'public',
  developer: 'developer',
  maintainer: 'maintainer',
  none: 'none',
}

/**
 * Who may fetch the files of a job, by `artifacts:access` or `artifacts:public` of its configuration (spec ci 4.5).
 * `options` is what `ci_job_details` holds of it. Runners do not pass this on.
 */
function configuredAccess(options: string | undefined): Accessibility {
  const { artifacts } = options === undefined ? {} : (JSON.parse(options) as Partial<CompiledJob>)
  const access = artifacts?.['access']
  if (typeof access === 'string' && Object.hasOwn(BY_ACCESS, access)) return BY_ACCESS[access]!
  return artifacts?.['public'] === false ? 'private' : 'public'
}

/** What a file of a job is said to be. */
export interface Description {
  readonly type: ArtifactType
  readonly format: Format
  /** A duration, or `never`; without one the settings say. */
  readonly expire_in?: string | undefined
  /** Who may fetch it; without it the configuration of the job says. */
  readonly accessibility?: Accessibility | undefined
}

/** An arrived file, as `http/request/upload.ts` describes it. */
export interface Arrived {
  readonly filename: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

/** Said of a file that is too large; runners do not try again then (spec ci 1.12). */
export const TOO_LARGE = 'file size has reached maximum size limit'
const TAKEN = 'another artifact of the same type already exists'
const MAX_NAME = 255

/** Largest file of a kind that a job may leave at the moment, bytes. */
export function mostOf(ctx: Pick<Ctx, 'db' | 'now'>, type: string): number {
  return limitOf(type, settingsOf(ctx).max_artifacts_size)
}

/**
 * Stores a file that a running job left. The content is on disk before the row says so. The same content again changes
 * nothing. Throws 400, 403 for a job that ended meanwhile, 413 (spec ci 1.12).
 */
export async function storeArtifact(ctx: Ctx, job: JobRow, file: Arrived, given: Description): Promise<void> {
  if (file.size > mostOf(ctx, given.type)) throw fail('too_large', TOO_LARGE)
  if (given.format !== formatOf(given.type))
    throw fail('bad_request', 'Validation failed: File format Invalid file format with specified file type')
  if (isThere(ctx, job, file, given)) return
  const ends = endOfTime(ctx, given.expire_in)
  const exported = given.type === 'dotenv' ? await readExports(file) : []
  const location = { project_id: job.project_id, stored_as: ctx.random.hex(16) }
  try {
    await adopt(ctx, location, file.path)
    tx(ctx.db, () => {
      const now = jobById(ctx.db, job.id)
      if (!now) throw fail('forbidden')
      insistRunning(now)
      if (isThere(ctx, job, file, given)) return
      store.insert(ctx.db, { ...location, ...columnsOf(ctx, job, file, given), created_at: ctx.now })
      store.endAt(ctx.db, job.id, ends)
      keepExports(ctx, job.id, exported)
      if (given.type === 'junit') readLater(ctx, job)
      publish(ctx, ArtifactsChanged, { project_id: job.project_id, job_id: job.id, actor_id: job.user_id })
    })
  } finally {
    // What fails after the commit must not take the content from a row that is there.
    if (!store.isStored(ctx.db, location.stored_as)) await removeContent(ctx, location)
  }
}

/** Large reports take a thread and its memory, so that a project reads one at a time. */
function readLater(ctx: Ctx, job: JobRow): void {
  enqueue(ctx, readTestReports, { job_id: job.id }, { key: `ci.test_reports:${job.project_id}` })
}

/** Whether the very file is there already. Throws 400 where another one of its kind is. */
function isThere(ctx: Pick<Ctx, 'db'>, job: JobRow, file: Arrived, { type }: Description): boolean {
  const found = store.ofType(ctx.db, job.id, type)
  if (found && found.sha256 !== file.sha256) throw fail('bad_request', TAKEN)
  return found !== undefined
}

function columnsOf(ctx: Pick<Ctx, 'db'>, job: JobRow, file: Arrived, given: Description) {
  const { type, format } = given
  // oxlint-disable-next-line no-control-regex
  const filename = file.filename
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f]/g, '_')
    .slice(0, MAX_NAME)
  return {
    job_id: job.id,
    file_type: type,
    file_format: format,
    filename: filename || `${type}.${format}`,
    size: file.size,
    sha256: file.sha256,
    accessibility: given.accessibility ?? configuredAccess(detailsOf(ctx.db, job.id)?.options),
  }
}

/** Lets the files of a job stay. Throws 404 where it has none. */
export function keepArtifacts(ctx: Ctx, job: JobRow): JobRow {
  const files = store.artifactsOf(ctx.db, [job.id]).get(job.id) ?? []
  if (!files.some((file) => file.file_type !== 'trace')) throw notFound()
  return tx(ctx.db, () => {
    store.endAt(ctx.db, job.id, null)
    publish(ctx, ArtifactsChanged, { project_id: job.project_id, job_id: job.id, actor_id: ctx.actor.id })
    return jobById(ctx.db, job.id)!
  })
}

/** Removes the files that a job left, but not its log; none is fine. */
export function eraseArtifacts(ctx: Ctx, job: JobRow): void {
  tx(ctx.db, () => {
    removeFiles(ctx, job, ctx.actor.id)
    store.removeSuite(ctx.db, job.id)
  })
}

/** Removes all that a job left, its log too, and notes that. Gives the job as it is then. */
export function eraseJob(ctx: Ctx, job: JobRow): JobRow {
  return tx(ctx.db, () => {
    eraseArtifacts(ctx, job)
    eraseTrace(ctx, job)
    return store.markErased(ctx.db, job.id, ctx.now)
  })
}

/** Lets the files of all jobs of a project end, in the background; those of last successful pipelines are kept. */
export function eraseProjectArtifacts(ctx: Ctx, projectId: number): void {
  enqueue(
    ctx,
    endArtifacts,
    { project_id: projectId },
    { key: 'ci.artifacts', once: `ci.end_artifacts:${projectId}` },
  )
}
