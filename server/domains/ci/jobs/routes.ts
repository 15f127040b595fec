import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { as, oneOf, type PresentedRow } from '../../../http/entity.ts'
import { bool, hash, int, list, text, choice } from '../../../http/params.ts'
import { noKeysetPaging } from '../../../http/paging.ts'
import { created, ok, page, raw, type RawAnswer } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { DEVELOPER } from '../../../policy/levels.ts'
import { project, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { STATUSES } from '../pipelines/store-list.ts'
import { abilities } from '../policy.ts'
import { parseRange, readTrace } from '../traces/service.ts'
import { showBridges, showJob } from './view.ts'
import { findJobs, getJob, ownJob, readCursor, cancel, erase, play, retry } from './service.ts'
import { Bridge, Job } from './entity.ts'
import type { JobRow } from './store.ts'

/** The `scope[]` parameter of lists of jobs: one or several statuses. Without it the list contains all jobs. */
export const scopeParam = list(choice(...STATUSES))
  .optional()
  .describe('Filter by status, one or several')

/**
 * Sends the log of a job, or the range in the `Range` header. Throws 403 if the log may contain secrets and the actor is
 * not a developer.
 */
async function sendTrace(ctx: Ctx, owner: Project, row: JobRow, range: string): Promise<RawAnswer> {
  const isDeveloper = ctx.actor.is_admin || project.roleOf(ctx, owner) >= DEVELOPER
  if (row.debug_trace && !isDeveloper) throw fail('forbidden')
  const headers = {
    'Content-Disposition': `infile; filename="${row.id}.log"`,
    'Accept-Ranges': 'bytes',
    'X-Content-Type-Options': 'nosniff',
  }
  const answer = { type: 'text/plain', headers }
  const currentSize = range === '' ? 0 : (await readTrace(ctx, row, { end: 0 })).size
  const byteRange = range === '' ? null : parseRange(range, currentSize)
  if (byteRange === 'behind') {
    const unsatisfied = { ...headers, 'Content-Range': `bytes */${currentSize}` }
    return { ...answer, status: 416, headers: unsatisfied, body: '' }
  }
  const { size, length, body } = await readTrace(ctx, row, byteRange ?? {})
  if (byteRange === null) return { ...answer, body, length }
  const contentRange = `bytes ${byteRange.start}-${byteRange.start + length - 1}/${size}`
  return { ...answer, status: 206, headers: { ...headers, 'Content-Range': contentRange }, body, length }
}

export const getTrace = endpoint('GET /projects/:id/jobs/:job_id/trace', {
  summary: 'Get the log of a job',
  scope: project,
  can: abilities.read_jobs,
  jobToken: true,
  params: { job_id: int({ min: 1 }).describe('The ID of the job') },
  fails: {
    403: 'The log may contain secrets, and the caller is not a developer',
    416: 'The range begins after the end of the log',
  },
  returns: raw,
  otherStatuses: { 206: 'The requested range of the log' },
  run: ({ project: owner, params, http, ...ctx }) =>
    sendTrace(ctx, owner, getJob(ctx, owner, params.job_id), http.header('range')),
})

const job_id = int({ min: 1 }).describe('The ID of the job')
const PROTECTED = 'The caller may not change jobs of this protected branch or tag'
const jobOrBridge = oneOf(Job, Bridge)

/** The number of lists of jobs that one user can request in a minute (spec administration 1.2). */
const LIST_LIMIT = { max: 600, per: 60, maxOf: (ctx: Ctx) => settingsOf(ctx).project_jobs_api_rate_limit }

export const listJobs = endpoint('GET /projects/:id/jobs', {
  summary: 'List project jobs',
  scope: project,
  can: abilities.read_jobs,
  jobToken: true,
  params: {
    scope: scopeParam,
    cursor: text({ max: 1000 })
      .optional()
      .describe('Cursor of the page, taken from the link to the next page'),
  },
  limit: LIST_LIMIT,
  returns: page(Job, { keyset: ['id'] }),
  run: ({ project: owner, params, paging, ...ctx }) => {
    // Only lists of projects offer it to anonymous callers (spec core 8.6).
    if (paging.keyset && ctx.actor.kind === 'anonymous') throw noKeysetPaging()
    const before = params.cursor === undefined || !paging.keyset ? undefined : readCursor(params.cursor)
    return findJobs(ctx, owner, params.scope, { ...paging, before })
  },
})

export const getOneJob = endpoint('GET /projects/:id/jobs/:job_id', {
  summary: 'Get a single job',
  scope: project,
  can: abilities.read_jobs,
  jobToken: true,
  params: { job_id },
  returns: ok(Job),
  run: ({ project: owner, params, ...ctx }) => showJob(ctx, owner, getJob(ctx, owner, params.job_id)),
})

export const getOwnJob = endpoint('GET /job', {
  summary: 'Get the job of the job token',
  can: 'signed_in',
  jobToken: true,
  fails: { 404: 'The request has no job token' },
  returns: ok(Job),
  run: (ctx) => ownJob(ctx),
})

export const cancelJob = endpoint('POST /projects/:id/jobs/:job_id/cancel', {
  summary: 'Cancel a job',
  scope: project,
  can: abilities.change_jobs,
  params: {
    job_id,
    force: bool().default(false).describe('Cancel without waiting for the `after_script` of the job'),
  },
  fails: { 403: PROTECTED },
  returns: created(jobOrBridge),
  run: ({ project: owner, params, ...ctx }) =>
    showJobOrBridge(
      ctx,
      owner,
      cancel(ctx, owner, getJob(ctx, owner, params.job_id, ['job', 'bridge']), params.force),
    ),
})

export const retryJob = endpoint('POST /projects/:id/jobs/:job_id/retry', {
  summary: 'Retry a job',
  scope: project,
  can: abilities.change_jobs,
  params: { job_id },
  fails: { 403: `The job cannot be retried, or ${PROTECTED.toLowerCase()}` },
  returns: created(jobOrBridge),
  run: ({ project: owner, params, ...ctx }) =>
    showJobOrBridge(ctx, owner, retry(ctx, owner, getJob(ctx, owner, params.job_id, ['job', 'bridge']))),
})

const jobVariable = hash({
  key: text({ max: 255, notEmpty: true }).describe('The name of the variable'),
  value: text({ max: 10_000 }).describe('The value of the variable'),
})

export const playJob = endpoint('POST /projects/:id/jobs/:job_id/play', {
  summary: 'Run a manual or delayed job',
  scope: project,
  can: abilities.change_jobs,
  params: {
    job_id,
    job_variables_attributes: list(jobVariable, { max: 100 })
      .optional()
      .describe('Variables for this run of the job'),
  },
  fails: { 400: 'The job cannot be started now', 403: PROTECTED },
  returns: ok(jobOrBridge),
  run: ({ project: owner, params, ...ctx }) => {
    const row = getJob(ctx, owner, params.job_id, ['job', 'bridge'])
    return showJobOrBridge(ctx, owner, play(ctx, owner, row, params.job_variables_attributes))
  },
})

export const eraseJob = endpoint('POST /projects/:id/jobs/:job_id/erase', {
  summary: 'Erase the log and artifacts of a job',
  scope: project,
  can: abilities.change_jobs,
  params: { job_id },
  fails: {
    403: 'The job is not finished or has nothing to erase, or the caller is neither a maintainer nor the user who ran it',
  },
  returns: created(Job),
  run: async ({ project: owner, params, ...ctx }) =>
    showJob(ctx, owner, await erase(ctx, owner, getJob(ctx, owner, params.job_id))),
})

/** Loads a job or a trigger job for its entity. */
async function showJobOrBridge(ctx: Ctx, owner: Project, row: JobRow): Promise<PresentedRow> {
  if (row.kind !== 'bridge') return as(Job, await showJob(ctx, owner, row)) as PresentedRow
  return as(Bridge, (await showBridges(ctx, owner, [row]))[0]!) as PresentedRow
}
