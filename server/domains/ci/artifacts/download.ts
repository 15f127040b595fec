import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'

import type { Ctx } from '../../../ctx.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { byId as jobById, type JobRow } from '../jobs/store.ts'
import { mayFetch, visibleProject } from './visibility.ts'
import { directoryOf, type ArchiveFile } from './archive.ts'
import { openFile } from './archive-extract.ts'
import { listFolder, type ListedEntry } from './archive.ts'
import { plainPath } from './archive.ts'
import { latestWithArchive } from './keeping.ts'
import { pathOf, sizeOf } from './content.ts'
import { isOver } from './keeping.ts'
import * as store from './store.ts'
import type { ArtifactRow } from './store.ts'
import type { ArtifactType } from './types.ts'
import { actorOfJobToken } from '../../auth/index.ts'
import { wrongCredential } from '../../auth/index.ts'
import { isTokenOf } from '../runner_protocol/job-auth.ts'

/** Bytes on their way, under the name that they are kept by. */
export interface Content {
  readonly name: string
  readonly size: number
  readonly stream: Readable
}

/** The archive of a job. Throws 404 where there is none (any more), 403 where the actor may not fetch it. */
export function archiveOf(ctx: Ctx, owner: Project, job: JobRow): ArtifactRow {
  return fileOf(ctx, owner, job, 'archive')
}

/** The file of one kind that a job left. Throws 404, 403. */
export function fileOf(ctx: Ctx, owner: Project, job: JobRow, type: ArtifactType): ArtifactRow {
  const row = store.ofType(ctx.db, job.id, type)
  if (row && !mayFetch(ctx, owner, row)) throw fail('forbidden')
  if (!row || isOver(ctx, job)) throw notFound()
  return row
}

/** A stored file as it is, or from one byte up to another (`end` not included). Throws 404 where it is gone from the disk. */
export async function openWhole(
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

/** One file out of an archive. Throws 400 for what is no path or cannot be given, 404, 422 for a broken archive. */
export async function openOne(ctx: Ctx, archive: ArtifactRow, given: string): Promise<Content> {
  const path = plainPath(given)
  if (path === undefined) throw fail('bad_request')
  const file = (await directoryOf(ctx, archive)).get(path)
  if (!file) throw notFound()
  return { name: nameOf(file), size: file.size, stream: await openFile(ctx, archive, file) }
}

function nameOf({ path }: ArchiveFile): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** What is right in a folder of an archive, folders first; the empty path is the top. Throws 400, 404, 422. */
export async function listArchive(ctx: Ctx, archive: ArtifactRow, given: string): Promise<ListedEntry[]> {
  const folder = given.replace(/\/+$/, '')
  if (folder !== '' && plainPath(folder) === undefined) throw fail('bad_request')
  const entries = listFolder(await directoryOf(ctx, archive), folder && plainPath(folder)!)
  if (!entries) throw notFound()
  return entries
}

/** The job of a name that left an archive for a branch or tag. Throws 404. */
export function jobOfRef(ctx: Ctx, owner: Project, ref: string, name: string): JobRow {
  const found = latestWithArchive(ctx.db, { project_id: owner.id, ref }, name)
  if (!found) throw notFound()
  return found
}

/**
 * The job and the path that `<ref>/raw/<path>` means. Names of branches and paths may both have a `raw` in them, so that the
 * shortest beginning counts which names a branch that has such a job. Throws 404.
 */
export function jobOfRefAndPath(
  ctx: Ctx,
  owner: Project,
  rest: string,
  name: string,
): { job: JobRow; path: string } {
  const parts = rest.split('/raw/').slice(0, MOST_PARTS)
  for (let length = 1; length < parts.length; length++) {
    const ref = parts.slice(0, length).join('/raw/')
    const job = latestWithArchive(ctx.db, { project_id: owner.id, ref }, name)
    if (job) return { job, path: rest.slice(ref.length + '/raw/'.length) }
  }
  throw notFound()
}

const MOST_PARTS = 20

/**
 * The archive of a job for whoever shows a job token: its own, or that of a running job of a user who may fetch it. Throws 401
 * for a token that does not hold, 403 for one that may not, 404 without an archive (spec ci 1.12).
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
  // Whom the files are kept from says nothing of the jobs that go on with them in the same project.
  const isForwarded = !archive || actor.job?.project_id === job?.project_id
  const file = isForwarded ? { accessibility: 'public' } : archive
  if (!owner || !mayFetch(theirs, owner, file)) throw fail('forbidden')
}
