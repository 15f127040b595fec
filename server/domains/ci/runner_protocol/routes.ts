import { endpoint } from '../../../http/endpoint.ts'
import { LAST_UPDATE_HEADER } from '../../../http/aliases.ts'
import { bool, hash, int, text } from '../../../http/params.ts'
import { raw } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { wrongCredential } from '../../auth/index.ts'
import { noteContact, runnerByToken } from '../runners/contact.ts'
import { noteCall } from './contact.ts'
import { runnerInfo } from './info.ts'
import { isAlive, JOB_STATUS_HEADER, runningJob } from './job-auth.ts'
import { requestJob } from './request.ts'
import { receiveTrace } from './trace.ts'
import { updateJob } from './update.ts'

const MAX_PART = 8 * 1024 * 1024
const JOB_TOKEN_HEADER = 'job-token'

const id = int({ min: 1 }).describe('Id of the job')
const jobToken = text({ max: 1024 }).optional().describe('Token of the job; the header `JOB-TOKEN` will do')

/** Runners speak for themselves: they show a token of their own, and no credentials of anybody. */
export const requestJobs = endpoint('POST /jobs/request', {
  summary: 'Ask for a job to run, as a runner',
  can: 'anyone',
  openly: true,
  params: {
    token: text({ max: 1024 }).describe('Authentication token of the runner'),
    system_id: text({ max: 255 }).optional().describe('Process that asks'),
    last_update: text({ max: 255 }).optional().describe('What the answer before said about the queue'),
    info: runnerInfo().optional().describe('What the runner is and can do'),
  },
  fails: { 409: 'The job went to another runner' },
  returns: raw,
  run: async (ctx) => {
    const { params } = ctx
    const runner = runnerByToken(ctx, params.token)
    if (!runner) throw wrongCredential(ctx, params.token, fail('forbidden'))
    const system_id = params.system_id ?? null
    noteContact(ctx, runner, params.info, system_id, ctx.http.ip)
    const features = params.info?.features ?? {}
    const { signal } = ctx.http
    const { last_update } = params
    const process = system_id ?? ctx.http.ip
    const answer = await requestJob(ctx, { runner, system_id, process, features, last_update, signal })
    if (answer.job === 'conflict') throw fail('conflict')
    if (answer.job) return { status: 201, type: 'application/json', body: JSON.stringify(answer.job) }
    return { status: 204, type: 'text/plain', body: '', headers: { [LAST_UPDATE_HEADER]: answer.value } }
  },
})

export const updateJobs = endpoint('PUT /jobs/:id', {
  summary: 'Say how a job stands, as its runner',
  can: 'anyone',
  openly: true,
  params: {
    id,
    token: jobToken,
    state: text({ max: 255 }).optional().describe('`running`, `success` or `failed`'),
    failure_reason: text({ max: 255 }).optional().describe('Why it failed'),
    exit_code: int().optional().describe('What its commands ended with'),
    checksum: text({ max: 255 }).optional().describe('Checksum of the log'),
    output: hash({ checksum: text({ max: 255 }).optional(), bytesize: int().optional() })
      .optional()
      .describe('Checksum and size of the log'),
  },
  fails: { 400: 'The state is none' },
  returns: raw,
  run: (ctx) => {
    const { params } = ctx
    const job = runningJob(ctx, params.id, params.token ?? ctx.http.header(JOB_TOKEN_HEADER))
    noteCall(ctx, job, ctx.http.ip)
    const checksum = params.output?.checksum ?? params.checksum
    const { status } = updateJob(ctx, job, { ...params, state: params.state ?? '', checksum })
    // Told of a job that goes on only: runners take the status of one that is over for an order to stop.
    const headers: Record<string, string> = isAlive(status) ? { [JOB_STATUS_HEADER]: status } : {}
    return { type: 'application/json', body: '200', headers }
  },
})

export const appendTraces = endpoint('PATCH /jobs/:id/trace', {
  summary: 'Add to the log of a job, as its runner',
  can: 'anyone',
  openly: true,
  maxBody: MAX_PART,
  takesBytes: true,
  params: {
    id,
    token: jobToken,
    debug_trace: bool().optional().describe('The log may hold secrets'),
  },
  fails: { 400: '400 Missing header Content-Range' },
  returns: raw,
  run: (ctx) => {
    const { params, http } = ctx
    const token = http.header(JOB_TOKEN_HEADER) || (params.token ?? '')
    const job = runningJob(ctx, params.id, token)
    noteCall(ctx, job, http.ip)
    const range = http.header('content-range')
    return receiveTrace(ctx, job, {
      range,
      token,
      bytes: http.bytes,
      debug_trace: params.debug_trace === true,
    })
  },
})
