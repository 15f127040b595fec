import { z } from 'zod'

import { disposition, SANDBOX } from '../../../http/answer/content.ts'
import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { choice, int, text } from '../../../http/params.ts'
import { accepted, noContent, ok, raw, type RawAnswer, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { Job } from '../jobs/entity.ts'
import { getJob } from '../jobs/service.ts'
import { parseRange } from '../traces/service.ts'
import { showJob } from '../jobs/view.ts'
import { abilities as jobAbilities, abilities } from '../policy.ts'
import type { ListedEntry } from './archive.ts'
import { sizeOf } from './disk.ts'
import {
  archiveOf,
  fileOf,
  jobOfRef,
  jobOfRefAndPath,
  openArchivedFile,
  openContent,
  type Content,
  listArchive,
} from './download.ts'
import { eraseArtifacts, eraseProjectArtifacts, keepArtifacts } from './service.ts'
import type { ArtifactRow } from './store.ts'
import { TYPES } from './types.ts'

/** A folder or file in the archive of a job. */
const ArchiveEntry = entity(
  'ArchiveEntry',
  {
    name: z.string(),
    path: z.string(),
    type: z.enum(['tree', 'blob']),
    size: z.int(),
  },
  ({ name, path, type, size }: ListedEntry) => ({ name, path, type, size }),
)

export const listArchiveFolder = endpoint('GET /-/projects/:id/jobs/:job_id/artifacts/tree', {
  summary: 'List a folder of the artifacts archive of a job',
  scope: project,
  can: jobAbilities.read_jobs,
  params: {
    job_id: int({ min: 1 }).describe('ID of the job'),
    path: text({ max: 4096 }).default('').describe('Path of the folder. Empty for the root of the archive'),
  },
  fails: {
    400: '400 Bad request: the path is invalid',
    403: 'The caller may not download the files',
    422: 'The archive is broken or has too many files',
  },
  returns: page(ArchiveEntry),
  run: async ({ project: owner, params, paging, ...ctx }) => {
    const archive = archiveOf(ctx, owner, getJob(ctx, owner, params.job_id))
    const entries = await listArchive(ctx, archive, params.path)
    return { rows: entries.slice(paging.offset, paging.offset + paging.limit), total: entries.length }
  },
})

const job_id = int({ min: 1 }).describe('ID of the job')
const ref_name = text({ max: 1024, notEmpty: true }).describe('Branch or tag')
const artifact_path = text({ max: 4096, notEmpty: true }).describe('Path of the file in the archive')
const job = text({ max: 255, notEmpty: true }).describe('Name of the job')

const PRIVATE = { 403: 'The caller may not download the files' }
const IN_ARCHIVE = {
  ...PRIVATE,
  400: '400 Bad request: an invalid path, or a file that cannot be extracted',
  422: 'The archive is broken or has too many files',
}

export const getArchive = endpoint('GET /projects/:id/jobs/:job_id/artifacts', {
  summary: 'Get the artifacts of a job',
  scope: project,
  can: jobAbilities.read_jobs,
  jobToken: true,
  params: {
    job_id,
    file_type: choice(...TYPES)
      .default('archive')
      .describe('Type of the artifact. The default is the archive'),
  },
  fails: { ...PRIVATE, 416: 'The range begins after the end of the file' },
  returns: raw,
  otherStatuses: { 206: 'The requested range of the file' },
  run: ({ project: owner, params, http, ...ctx }) => {
    const file = fileOf(ctx, owner, getJob(ctx, owner, params.job_id), params.file_type)
    return answerWithRange(ctx, file, http.header('range'))
  },
})

export const getArchiveFile = endpoint('GET /projects/:id/jobs/:job_id/artifacts/:artifact_path', {
  summary: 'Get a file of the artifacts archive of a job',
  scope: project,
  can: jobAbilities.read_jobs,
  jobToken: true,
  slashParams: ['artifact_path'],
  params: { job_id, artifact_path },
  fails: IN_ARCHIVE,
  returns: raw,
  run: async ({ project: owner, params, ...ctx }) => {
    const archive = archiveOf(ctx, owner, getJob(ctx, owner, params.job_id))
    return answerWith(await openArchivedFile(ctx, archive, params.artifact_path))
  },
})

export const getArchiveOfRef = endpoint('GET /projects/:id/jobs/artifacts/:ref_name/download', {
  summary: 'Get the artifacts archive of the latest successful pipeline of a ref',
  scope: project,
  can: jobAbilities.read_jobs,
  jobToken: true,
  slashParams: ['ref_name'],
  params: { ref_name, job },
  fails: PRIVATE,
  returns: raw,
  run: async ({ project: owner, params, ...ctx }) => {
    const archive = archiveOf(ctx, owner, jobOfRef(ctx, owner, params.ref_name, params.job))
    return answerWith(await openContent(ctx, archive))
  },
})

export const getFileOfRef = endpoint('GET /projects/:id/jobs/artifacts/:ref_name/raw/:artifact_path', {
  summary: 'Get a file of the artifacts archive of the latest successful pipeline of a ref',
  scope: project,
  can: jobAbilities.read_jobs,
  jobToken: true,
  slashParams: ['ref_name', 'artifact_path'],
  params: { ref_name, artifact_path, job },
  fails: IN_ARCHIVE,
  returns: raw,
  run: async ({ project: owner, params, ...ctx }) => {
    const refAndPath = `${params.ref_name}/raw/${params.artifact_path}`
    const match = jobOfRefAndPath(ctx, owner, refAndPath, params.job)
    return answerWith(await openArchivedFile(ctx, archiveOf(ctx, owner, match.job), match.path))
  },
})

export const keepJobArtifacts = endpoint('POST /projects/:id/jobs/:job_id/artifacts/keep', {
  summary: 'Keep the artifacts of a job',
  scope: project,
  can: jobAbilities.change_jobs,
  params: { job_id },
  returns: ok(Job),
  run: ({ project: owner, params, ...ctx }) =>
    showJob(ctx, owner, keepArtifacts(ctx, getJob(ctx, owner, params.job_id))),
})

export const removeJobArtifacts = endpoint('DELETE /projects/:id/jobs/:job_id/artifacts', {
  summary: 'Delete the artifacts of a job',
  scope: project,
  can: abilities.destroy_artifacts,
  params: { job_id },
  returns: noContent,
  run: ({ project: owner, params, ...ctx }) => eraseArtifacts(ctx, getJob(ctx, owner, params.job_id)),
})

export const removeProjectArtifacts = endpoint('DELETE /projects/:id/artifacts', {
  summary: 'Delete the artifacts of a project',
  scope: project,
  can: abilities.destroy_artifacts,
  returns: accepted,
  run: ({ project: owner, ...ctx }) => eraseProjectArtifacts(ctx, owner.id),
})

/** Content types by file extension. The headers of `answerWith` keep a browser from showing them as a page. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html; charset=utf-8',
  html: 'text/html; charset=utf-8',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  log: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  txt: 'text/plain; charset=utf-8',
  webp: 'image/webp',
  xml: 'application/xml',
  zip: 'application/zip',
}

/** The content type of a file by its name. */
function mediaType(path: string): string {
  const extension = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(MEDIA_TYPES, extension) ? MEDIA_TYPES[extension]! : 'application/octet-stream'
}

/**
 * Sends a stored file, or the range in the `Range` header, so that a client can resume a download. Throws 404 if the
 * file is missing on disk.
 */
export async function answerWithRange(
  ctx: Pick<Ctx, 'config'>,
  row: ArtifactRow,
  range: string,
): Promise<RawAnswer> {
  const size = await sizeOf(ctx, row)
  const byteRange = range === '' || size === undefined ? null : parseRange(range, size)
  if (byteRange === 'behind')
    return { type: 'text/plain', body: '', status: 416, headers: { 'Content-Range': `bytes */${size}` } }
  const content = await openContent(ctx, row, byteRange ?? undefined)
  const answer = answerWith(content)
  const headers = { ...answer.headers, 'Accept-Ranges': 'bytes' }
  if (byteRange === null) return { ...answer, headers }
  const contentRange = `bytes ${byteRange.start}-${byteRange.end - 1}/${size}`
  return { ...answer, status: 206, headers: { ...headers, 'Content-Range': contentRange } }
}

/**
 * Sends a file that a job produced, with the content type for its name. Headers keep a browser from running it as a page
 * of this origin.
 */
export function answerWith({ name, size, stream }: Content): RawAnswer {
  return {
    type: mediaType(name),
    body: stream,
    length: size,
    headers: {
      'Content-Disposition': disposition('attachment', name),
      'Content-Security-Policy': SANDBOX,
      'X-Content-Type-Options': 'nosniff',
    },
  }
}
