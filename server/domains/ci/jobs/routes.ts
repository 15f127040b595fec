import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { as, oneOf, type Shown } from '../../../http/entity.ts'
import { bool, hash, int, list, text } from '../../../http/params.ts'
import { created, ok, page } from '../../../http/returns.ts'
import { project, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { abilities } from '../policy.ts'
import { cancel, erase, play, retry } from './actions.ts'
import { showBridges, showJob } from './view.ts'
import { findJobs, getJob, ownJob, readCursor } from './service.ts'
import { Bridge, Job } from './entity.ts'
import { scopeParam } from './params.ts'
import type { JobRow } from './store.ts'

const job_id = int({ min: 1 }).describe('The ID of the job')
const PROTECTED = 'The caller may not change jobs of this protected branch or tag'
const jobOrBridge = oneOf(Job, Bridge)

/** How many lists of jobs one user may get in a minute (spec administration 1.2). */
const LISTING = { max: 600, per: 60, maxOf: (ctx: Ctx) => settingsOf(ctx).project_jobs_api_rate_limit }

export const listJobs = endpoint('GET /projects/:id/jobs', {
  summary: 'List project jobs',
  scope: project,
  can: abilities.read_jobs,
  jobToken: true,
  params: {
    scope: scopeParam,
    cursor: text({ max: 1000 }).optional().describe('Cursor of the page, from the link to the next page'),
  },
  limit: LISTING,
  returns: page(Job, { keyset: ['id'] }),
  run: ({ project: owner, params, paging, ...ctx }) => {
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
  key: text({ max: 255, notEmpty: true }).describe('Name'),
  value: text({ max: 10_000 }).describe('Value'),
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
    403: 'The job is not over or has nothing to erase, or the caller is neither a maintainer nor the user who ran it',
  },
  returns: created(Job),
  run: async ({ project: owner, params, ...ctx }) =>
    showJob(ctx, owner, await erase(ctx, owner, getJob(ctx, owner, params.job_id))),
})

/** A job or a trigger job, each in its own form. */
async function showJobOrBridge(ctx: Ctx, owner: Project, row: JobRow): Promise<Shown> {
  if (row.kind !== 'bridge') return as(Job, await showJob(ctx, owner, row)) as Shown
  return as(Bridge, (await showBridges(ctx, owner, [row]))[0]!) as Shown
}
