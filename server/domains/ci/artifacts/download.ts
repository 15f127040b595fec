import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { open } from 'node:fs/promises'

import type { Ctx } from '../../../ctx.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { byId as jobById, type JobRow } from '../jobs/store.ts'
import { mayFetch, visibleProject } from '../visibility.ts'
import { plainPath, zipContent, ZipProblem, type ZipFile } from '../../../lib/archive/zip-reader.ts'
import { directoryOf, listFolder, type ListedEntry } from './archive.ts'
import { latestWithArchive, isExpired } from './expiry.ts'
import { pathOf, sizeOf, type FileLocation } from './disk.ts'
import * as store from './store.ts'
import type { ArtifactRow } from './store.ts'
import type { ArtifactType } from './types.ts'
import { actorOfJobToken, wrongCredential } from '../../auth/index.ts'
import { isTokenOf } from '../runner_protocol/job-auth.ts'

/**
 * Returns one file of a stored archive as a stream. The stream fails if the size of the file differs from the archive's
 * directory. Throws 404 if the archive is missing, and 400 if the file cannot be sent.
 */
export async function openFile(
  ctx: Pick<Ctx, 'config'>,
  location: FileLocation,
  file: ZipFile,
): Promise<Readable> {
  const handle = await open(pathOf(ctx, location)).catch(() => undefined)
  if (!handle) throw notFound()
  try {
    return await zipContent(handle, file)
  } catch (error) {
    await handle.close()
    if (error instanceof ZipProblem) throw fail('bad_request', `400 Bad request - ${error.message}`)
    throw error
  }
}

/** A stream of bytes with the file name for the download. */
export interface Content {
  readonly name: string
  readonly size: number
  readonly stream: Readable
}

/** Returns the archive of a job. Throws 404 if it does not exist or expired, and 403 if the actor may not download it. */
export function archiveOf(ctx: Ctx, owner: Project, job: JobRow): ArtifactRow {
  return fileOf(ctx, owner, job, 'archive')
}

/** Returns the artifact of a job with the given file type. Throws 404 and 403 as `archiveOf`. */
export function fileOf(ctx: Ctx, owner: Project, job: JobRow, type: ArtifactType): ArtifactRow {
  const row = store.ofType(ctx.db, job.id, type)
  if (row && !mayFetch(ctx, owner, row)) throw fail('forbidden')
  if (!row || isExpired(ctx, job)) throw notFound()
  return row
}

/** Returns a stored file, or a range of its bytes (`end` is exclusive). Throws 404 if it is missing on disk. */
export async function openContent(
  ctx: Pick<Ctx, 'config'>,
  row: ArtifactRow,
  range?: { readonly start: number; readonly end: number },
): Promise<Content> {
  const size = await sizeOf(ctx, row)
  if (size === undefined) throw notFound()
  const { start, end } = range ?? { start: 0, end: size }
  const stream = createReadStream(pathOf(ctx, row), { start, ...(end > 0 ? { end: end - 1 } : {}) })
  return { name: row.filename, size: end - start, stream }
}

/**
 * Returns one file of an archive. Throws 400 for an invalid path or an unsupported file, 404 if the file does not exist,
 * and 422 for a broken archive.
 */
export async function openArchivedFile(ctx: Ctx, archive: ArtifactRow, input: string): Promise<Content> {
  const path = plainPath(input)
  if (path === undefined) throw fail('bad_request')
  const file = (await directoryOf(ctx, archive)).get(path)
  if (!file) throw notFound()
  return { name: nameOf(file), size: file.size, stream: await openFile(ctx, archive, file) }
}

function nameOf({ path }: ZipFile): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Lists a folder of an archive, folders first. The empty path is the root. Throws the errors of `openOne`. */
export async function listArchive(ctx: Ctx, archive: ArtifactRow, path: string): Promise<ListedEntry[]> {
  const folder = path.replace(/\/+$/, '')
  if (folder !== '' && plainPath(folder) === undefined) throw fail('bad_request')
  const entries = listFolder(await directoryOf(ctx, archive), folder && plainPath(folder)!)
  if (!entries) throw notFound()
  return entries
}

/** Returns the latest job of a branch or tag with the given name and an archive. Throws 404 if there is none. */
export function jobOfRef(ctx: Ctx, owner: Project, ref: string, name: string): JobRow {
  const job = latestWithArchive(ctx.db, { project_id: owner.id, ref }, name)
  if (!job) throw notFound()
  return job
}

/**
 * Splits `<ref>/raw/<path>` and returns the job and the path. Both may contain `/raw/`, so the shortest ref with such a
 * job is used. Throws 404 if there is none.
 */
export function jobOfRefAndPath(
  ctx: Ctx,
  owner: Project,
  refAndPath: string,
  name: string,
): { job: JobRow; path: string } {
  const segments = refAndPath.split('/raw/').slice(0, MAX_SEGMENTS)
  for (let length = 1; length < segments.length; length++) {
    const ref = segments.slice(0, length).join('/raw/')
    const job = latestWithArchive(ctx.db, { project_id: owner.id, ref }, name)
    if (job) return { job, path: refAndPath.slice(ref.length + '/raw/'.length) }
  }
  throw notFound()
}

const MAX_SEGMENTS = 20

/**
 * Returns the archive of a job to a caller with a job token (spec ci 1.12): the token of the job itself, or of a running
 * job of a user with access. Throws 401 for an invalid token, 403 without access, and 404 without an archive.
 */
export function archiveForToken(ctx: Ctx, jobId: number, token: string): ArtifactRow {
  const job = jobById(ctx.db, jobId)
  const isOwnToken = job !== undefined && isTokenOf(job, token)
  const archive = job && store.ofType(ctx.db, job.id, 'archive')
  if (!isOwnToken) checkReader(ctx, job, archive, token)
  if (!job || !archive || isExpired(ctx, job)) throw notFound()
  return archive
}

function checkReader(
  ctx: Ctx,
  job: JobRow | undefined,
  archive: ArtifactRow | undefined,
  token: string,
): void {
  const actor = token === '' ? undefined : actorOfJobToken(ctx, token)
  if (!actor) throw wrongCredential(ctx, token, fail('unauthorized'))
  const jobCtx = { ...ctx, actor }
  const owner = job && visibleProject(jobCtx, String(job.project_id))
  // The access level of artifacts restricts users, but not later jobs of the same project.
  const isUnrestricted = !archive || actor.job?.project_id === job?.project_id
  const file = isUnrestricted ? { accessibility: 'public' } : archive
  if (!owner || !mayFetch(jobCtx, owner, file)) throw fail('forbidden')
}
