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
import { latestWithArchive, isOver } from './expiry.ts'
import { pathOf, sizeOf, type FileLocation } from './disk.ts'
import * as store from './store.ts'
import type { ArtifactRow } from './store.ts'
import type { ArtifactType } from './types.ts'
import { actorOfJobToken, wrongCredential } from '../../auth/index.ts'
import { isTokenOf } from '../runner_protocol/job-auth.ts'

/**
 * Returns one file of a stored archive as a stream. The stream fails if the size differs from the directory of the
 * archive. Throws 404 if the archive is missing, 400 if the file cannot be sent.
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

/** Returns the archive of a job. Throws 404 if it does not exist or expired, 403 if the actor cannot download it. */
export function archiveOf(ctx: Ctx, owner: Project, job: JobRow): ArtifactRow {
  return fileOf(ctx, owner, job, 'archive')
}

/** Returns the artifact of a job with the given file type. Throws 404, 403. */
export function fileOf(ctx: Ctx, owner: Project, job: JobRow, type: ArtifactType): ArtifactRow {
  const row = store.ofType(ctx.db, job.id, type)
  if (row && !mayFetch(ctx, owner, row)) throw fail('forbidden')
  if (!row || isOver(ctx, job)) throw notFound()
  return row
}

/** Returns a stored file, or a range of its bytes (`end` is exclusive). Throws 404 if it is missing on disk. */
export async function openContent(
  ctx: Pick<Ctx, 'config'>,
  row: ArtifactRow,
  part?: { readonly start: number; readonly end: number },
): Promise<Content> {
  const size = await sizeOf(ctx, row)
  if (size === undefined) throw notFound()
  const { start, end } = part ?? { start: 0, end: size }
  const stream = createReadStream(pathOf(ctx, row), { start, ...(end > 0 ? { end: end - 1 } : {}) })
  return { name: row.filename, size: end - start, stream }
}

/**
 * Returns one file of an archive. Throws 400 for an invalid path or an unsupported file, 404, 422 for a broken archive.
 */
export async function openOne(ctx: Ctx, archive: ArtifactRow, input: string): Promise<Content> {
  const path = plainPath(input)
  if (path === undefined) throw fail('bad_request')
  const file = (await directoryOf(ctx, archive)).get(path)
  if (!file) throw notFound()
  return { name: nameOf(file), size: file.size, stream: await openFile(ctx, archive, file) }
}

function nameOf({ path }: ZipFile): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Lists a folder of an archive, folders first. The empty path is the root. Throws 400, 404, 422. */
export async function listArchive(ctx: Ctx, archive: ArtifactRow, path: string): Promise<ListedEntry[]> {
  const folder = path.replace(/\/+$/, '')
  if (folder !== '' && plainPath(folder) === undefined) throw fail('bad_request')
  const entries = listFolder(await directoryOf(ctx, archive), folder && plainPath(folder)!)
  if (!entries) throw notFound()
  return entries
}

/** Returns the job with the given name that has the archive of a branch or tag. Throws 404. */
export function jobOfRef(ctx: Ctx, owner: Project, ref: string, name: string): JobRow {
  const job = latestWithArchive(ctx.db, { project_id: owner.id, ref }, name)
  if (!job) throw notFound()
  return job
}

/**
 * Splits `<ref>/raw/<path>` and returns the job and the path. Both parts may contain `raw`, so the shortest ref with
 * such a job is used. Throws 404.
 */
export function jobOfRefAndPath(
  ctx: Ctx,
  owner: Project,
  rest: string,
  name: string,
): { job: JobRow; path: string } {
  const parts = rest.split('/raw/').slice(0, MAX_PARTS)
  for (let length = 1; length < parts.length; length++) {
    const ref = parts.slice(0, length).join('/raw/')
    const job = latestWithArchive(ctx.db, { project_id: owner.id, ref }, name)
    if (job) return { job, path: rest.slice(ref.length + '/raw/'.length) }
  }
  throw notFound()
}

const MAX_PARTS = 20

/**
 * Returns the archive of a job to a caller with a job token: the token of the job itself, or of a running job of a user
 * with access. Throws 401 for an invalid token, 403 without access, 404 without an archive (spec ci 1.12).
 */
export function archiveForToken(ctx: Ctx, jobId: number, token: string): ArtifactRow {
  const job = jobById(ctx.db, jobId)
  const isOwn = job !== undefined && isTokenOf(job, token)
  const archive = job && store.ofType(ctx.db, job.id, 'archive')
  if (!isOwn) checkReader(ctx, job, archive, token)
  if (!job || !archive || isOver(ctx, job)) throw notFound()
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
  const theirs = { ...ctx, actor }
  const owner = job && visibleProject(theirs, String(job.project_id))
  // The access level of artifacts restricts users, not later jobs of the same project.
  const isForwarded = !archive || actor.job?.project_id === job?.project_id
  const file = isForwarded ? { accessibility: 'public' } : archive
  if (!owner || !mayFetch(theirs, owner, file)) throw fail('forbidden')
}
