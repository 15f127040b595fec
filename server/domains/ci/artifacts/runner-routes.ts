import type { RequestHead } from '../../../http/endpoint.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, file, int, text } from '../../../http/params.ts'
import { raw } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { runningJob } from '../runner_protocol/job-auth.ts'
import { answerWithRange } from './routes.ts'
import { sizeLimit, storeArtifact, TOO_LARGE } from './service.ts'
import { ACCESSIBILITY, FORMATS, TYPES } from './types.ts'
import { archiveForToken } from './download.ts'

const id = int({ min: 1 }).describe('ID of the job')
const token = text({ max: 255 }).optional().describe('Token of the job, if there is no `JOB-TOKEN` header')
const TOKEN_HEADER = 'job-token'

/** The job token in the header or the query. It is needed before the body is read. */
function tokenOf({ header, query }: Pick<RequestHead, 'header' | 'query'>): string {
  const input = query['token']
  return header(TOKEN_HEADER) || (typeof input === 'string' ? input : '')
}

const REFUSALS = {
  403: 'The token is invalid for this job, or the job is no longer running (`Job-Status` header)',
  413: TOO_LARGE,
}

export const uploadArtifact = endpoint('POST /jobs/:id/artifacts', {
  summary: 'Upload a job artifact (for runners)',
  can: 'anyone',
  ignoresCredentials: true,
  params: {
    id,
    token,
    file: file().describe('The file, in a multipart body'),
    artifact_type: choice(...TYPES)
      .default('archive')
      .describe('Type of the artifact'),
    artifact_format: choice(...FORMATS)
      .default('zip')
      .describe('Format of the file'),
    expire_in: text({ max: 255 }).optional().describe('Duration after which the file is deleted, or `never`'),
    accessibility: choice(...ACCESSIBILITY)
      .optional()
      .describe('Who may download the file'),
  },
  // The token is checked before anything is stored, so that unauthorized uploads cannot fill the disk.
  files: (ctx, requestHead) => {
    const jobId = /^\d{1,15}$/.test(requestHead.values['id']!) ? Number(requestHead.values['id']) : 0
    if (jobId === 0) throw fail('parameter', 'id is invalid')
    runningJob(ctx, jobId, tokenOf(requestHead))
    const type = requestHead.query['artifact_type']
    return { maxBytes: sizeLimit(ctx, typeof type === 'string' ? type : 'archive'), tooLarge: TOO_LARGE }
  },
  fails: {
    ...REFUSALS,
    400: 'The job already has another file of this type, or the content does not match the type',
  },
  returns: { ...raw, status: 201 },
  run: async ({ params, http, ...ctx }) => {
    const job = runningJob(ctx, params.id, http.header(TOKEN_HEADER) || (params.token ?? ''))
    await storeArtifact(ctx, job, params.file, {
      type: params.artifact_type,
      format: params.artifact_format,
      expire_in: params.expire_in,
      accessibility: params.accessibility,
    })
    return { type: 'application/json', body: '201' }
  },
})

export const authorizeUpload = endpoint('POST /jobs/:id/artifacts/authorize', {
  summary: 'Authorize the upload of a job artifact',
  can: 'anyone',
  ignoresCredentials: true,
  params: {
    id,
    token,
    artifact_type: choice(...TYPES)
      .default('archive')
      .describe('Type of the artifact'),
    filesize: int({ min: 0 }).optional().describe('Size of the file in bytes'),
  },
  fails: REFUSALS,
  returns: raw,
  run: ({ params, http, ...ctx }) => {
    runningJob(ctx, params.id, http.header(TOKEN_HEADER) || (params.token ?? ''))
    const limit = sizeLimit(ctx, params.artifact_type)
    if ((params.filesize ?? 0) > limit) throw fail('too_large', TOO_LARGE)
    return { type: 'application/json', body: JSON.stringify({ MaximumSize: limit }) }
  },
})

export const downloadArtifacts = endpoint('GET /jobs/:id/artifacts', {
  summary: 'Get the artifacts of a job dependency (for runners)',
  can: 'anyone',
  ignoresCredentials: true,
  params: {
    id,
    token,
    direct_download: bool().default(false).describe('Has no effect; accepted for compatibility'),
  },
  fails: {
    401: 'The token is invalid',
    403: 'The user of the running job may not download the files',
    416: 'The range begins after the end of the file',
  },
  returns: raw,
  otherStatuses: { 206: 'The requested range of the file' },
  run: ({ params, http, ...ctx }) => {
    const jobToken = http.header(TOKEN_HEADER) || (params.token ?? '')
    return answerWithRange(ctx, archiveForToken(ctx, params.id, jobToken), http.header('range'))
  },
})
