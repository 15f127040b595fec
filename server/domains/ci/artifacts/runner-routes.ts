import type { RequestHead } from '../../../http/endpoint.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, file, int, text } from '../../../http/params.ts'
import { raw } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { runningJob } from '../runner_protocol/job-auth.ts'
import { answerWithPart } from './routes.ts'
import { mostOf, storeArtifact, TOO_LARGE } from './service.ts'
import { ACCESSIBILITY, FORMATS, TYPES } from './types.ts'
import { archiveForToken } from './download.ts'

const id = int({ min: 1 }).describe('Id of the job')
const token = text({ max: 255 }).optional().describe('Token of the job, if the header JOB-TOKEN is not sent')
const TOKEN_HEADER = 'job-token'

/** The job token from the header or the query, checked before the body is read. */
function shownIn({ header, query }: Pick<RequestHead, 'header' | 'query'>): string {
  const input = query['token']
  return header(TOKEN_HEADER) || (typeof input === 'string' ? input : '')
}

const REFUSALS = {
  403: 'The token is not that of this job, or the job does not run any more (header Job-Status)',
  413: TOO_LARGE,
}

export const uploadArtifact = endpoint('POST /jobs/:id/artifacts', {
  summary: 'Upload a job artifact (for runners)',
  can: 'anyone',
  ignoresCredentials: true,
  params: {
    id,
    token,
    file: file().describe('The file, as a part of a multipart body'),
    artifact_type: choice(...TYPES)
      .default('archive')
      .describe('Kind of the file'),
    artifact_format: choice(...FORMATS)
      .default('zip')
      .describe('Format of the file'),
    expire_in: text({ max: 255 }).optional().describe('Time after which it is removed, or `never`'),
    accessibility: choice(...ACCESSIBILITY)
      .optional()
      .describe('Who may download it'),
  },
  // The token is checked before anything is stored, so that unauthorized uploads cannot fill the disk.
  files: (ctx, requestHead) => {
    const jobId = /^\d{1,15}$/.test(requestHead.values['id']!) ? Number(requestHead.values['id']) : 0
    if (jobId === 0) throw fail('parameter', 'id is invalid')
    runningJob(ctx, jobId, shownIn(requestHead))
    const type = requestHead.query['artifact_type']
    return { maxBytes: mostOf(ctx, typeof type === 'string' ? type : 'archive'), tooLarge: TOO_LARGE }
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
    return { type: 'application/json', body: '201', status: 201 }
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
      .describe('Kind of the file'),
    filesize: int({ min: 0 }).optional().describe('Bytes'),
  },
  fails: REFUSALS,
  returns: raw,
  run: ({ params, http, ...ctx }) => {
    runningJob(ctx, params.id, http.header(TOKEN_HEADER) || (params.token ?? ''))
    const limit = mostOf(ctx, params.artifact_type)
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
    direct_download: bool().default(false).describe('Ignored, accepted for compatibility'),
  },
  fails: {
    401: 'The token is invalid',
    403: 'The user of the running job may not fetch the files',
    416: 'The range begins after the end',
  },
  returns: raw,
  run: ({ params, http, ...ctx }) => {
    const jobToken = http.header(TOKEN_HEADER) || (params.token ?? '')
    return answerWithPart(ctx, archiveForToken(ctx, params.id, jobToken), http.header('range'))
  },
})
