import type { UploadedFile } from '../../../lib/files/uploaded-file.ts'
import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { enqueue } from '../../../jobs/job.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import type { CompiledJob } from '../../ci_config/index.ts'
import { ArtifactsChanged } from '../events.ts'
import { byId as jobById, detailsOf, type JobRow } from '../jobs/store.ts'
import { readTestReports } from '../reports/service.ts'
import { checkRunning } from '../runner_protocol/job-auth.ts'
import { eraseTrace } from '../traces/service.ts'
import { storeFile, removeContent } from './disk.ts'
import { expiryTime, removeFiles, endArtifacts } from './expiry.ts'
import { storeExports, readExports } from './exports.ts'
import * as store from './store.ts'
import { formatOf, limitOf, type Accessibility, type ArtifactType, type Format } from './types.ts'

const BY_ACCESS: Readonly<Record<string, Accessibility>> = {
  all: 'public',
  developer: 'developer',
  maintainer: 'maintainer',
  none: 'none',
}

/**
 * The access level of a job's files, from `artifacts:access` or `artifacts:public` of its configuration (spec ci 4.5).
 * Runners do not send it, so it is read from the column `options` of `ci_job_details`.
 */
function configuredAccess(options: string | undefined): Accessibility {
  const { artifacts } = options === undefined ? {} : (JSON.parse(options) as Partial<CompiledJob>)
  const access = artifacts?.['access']
  if (typeof access === 'string' && Object.hasOwn(BY_ACCESS, access)) return BY_ACCESS[access]!
  return artifacts?.['public'] === false ? 'private' : 'public'
}

/** The properties of an uploaded artifact. */
export interface ArtifactProperties {
  readonly type: ArtifactType
  readonly format: Format
  /** A duration, or `never`. The default is the setting of the instance. */
  readonly expire_in?: string | undefined
  /** The access level. The default is that of the job's configuration. */
  readonly accessibility?: Accessibility | undefined
}

export type ReceivedFile = Pick<UploadedFile, 'filename' | 'path' | 'size' | 'sha256'>

/** The error for a file that is too large. Runners do not retry the upload after it (spec ci 1.12). */
export const TOO_LARGE = 'file size has reached maximum size limit'
const TAKEN = 'another artifact of the same type already exists'
const MAX_NAME = 255

/** The current size limit for a file type, in bytes. */
export function sizeLimit(ctx: Pick<Ctx, 'db' | 'now'>, type: string): number {
  return limitOf(type, settingsOf(ctx).max_artifacts_size)
}

/**
 * Stores an artifact of a running job (spec ci 1.12). The file is synced to disk before the row is written. A second
 * upload of the same content changes nothing. Throws 400 for a wrong format or a second file of the type, 403 if the job
 * is no longer running, and 413 if the file is too large.
 */
export async function storeArtifact(
  ctx: Ctx,
  job: JobRow,
  file: ReceivedFile,
  description: ArtifactProperties,
): Promise<void> {
  if (file.size > sizeLimit(ctx, description.type)) throw fail('too_large', TOO_LARGE)
  if (description.format !== formatOf(description.type))
    throw fail('bad_request', 'Validation failed: File format Invalid file format with specified file type')
  if (exists(ctx, job, file, description)) return
  const expiresAt = expiryTime(ctx, description.expire_in)
  const exports = description.type === 'dotenv' ? await readExports(file) : []
  const location = { project_id: job.project_id, stored_as: ctx.random.hex(16) }
  try {
    await storeFile(ctx, location, file.path)
    tx(ctx.db, () => {
      const current = jobById(ctx.db, job.id)
      if (!current) throw fail('forbidden')
      checkRunning(current)
      if (exists(ctx, job, file, description)) return
      store.insert(ctx.db, { ...location, ...columnsOf(ctx, job, file, description), created_at: ctx.now })
      store.setExpiry(ctx.db, job.id, expiresAt)
      storeExports(ctx, job.id, exports)
      if (description.type === 'junit') readInBackground(ctx, job)
      publish(ctx, ArtifactsChanged, { project_id: job.project_id, job_id: job.id, actor_id: job.user_id })
    })
  } finally {
    // An error after the commit must not delete the file of a committed row.
    if (!store.isStored(ctx.db, location.stored_as)) await removeContent(ctx, location)
  }
}

/** Enqueues the reading of test reports. A large report needs much memory, so each project reads one at a time. */
function readInBackground(ctx: Ctx, job: JobRow): void {
  enqueue(ctx, readTestReports, { job_id: job.id }, { key: `ci.test_reports:${job.project_id}` })
}

/** Whether the same file is already stored. Throws 400 if the job has another file of this type. */
function exists(
  ctx: Pick<Ctx, 'db'>,
  job: JobRow,
  file: ReceivedFile,
  { type }: ArtifactProperties,
): boolean {
  const existing = store.ofType(ctx.db, job.id, type)
  if (existing && existing.sha256 !== file.sha256) throw fail('bad_request', TAKEN)
  return existing !== undefined
}

function columnsOf(ctx: Pick<Ctx, 'db'>, job: JobRow, file: ReceivedFile, description: ArtifactProperties) {
  const { type, format } = description
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
    accessibility: description.accessibility ?? configuredAccess(detailsOf(ctx.db, job.id)?.options),
  }
}

/** Keeps the files of a job forever. Throws 404 if it has none. */
export function keepArtifacts(ctx: Ctx, job: JobRow): JobRow {
  const files = store.artifactsOf(ctx.db, [job.id]).get(job.id) ?? []
  if (!files.some((file) => file.file_type !== 'trace')) throw notFound()
  return tx(ctx.db, () => {
    store.setExpiry(ctx.db, job.id, null)
    publish(ctx, ArtifactsChanged, { project_id: job.project_id, job_id: job.id, actor_id: ctx.actor.id })
    return jobById(ctx.db, job.id)!
  })
}

/** Deletes the artifacts of a job except its log. */
export function eraseArtifacts(ctx: Ctx, job: JobRow): void {
  tx(ctx.db, () => {
    removeFiles(ctx, job, ctx.actor.id)
    store.removeSuite(ctx.db, job.id)
  })
}

/** Erases a job: deletes its artifacts and its log. Returns the updated job. */
export function eraseJob(ctx: Ctx, job: JobRow): JobRow {
  return tx(ctx.db, () => {
    eraseArtifacts(ctx, job)
    eraseTrace(ctx, job)
    return store.markErased(ctx.db, job.id, ctx.now)
  })
}

/** Enqueues the expiry of all artifacts of a project. Those of the last successful pipelines are kept. */
export function eraseProjectArtifacts(ctx: Ctx, projectId: number): void {
  enqueue(
    ctx,
    endArtifacts,
    { project_id: projectId },
    { key: 'ci.artifacts', once: `ci.end_artifacts:${projectId}` },
  )
}
