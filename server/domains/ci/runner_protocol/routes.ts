import type { Ctx } from '../../../ctx.ts'
import { LAST_UPDATE_HEADER, TRACE_INTERVAL_HEADER } from '../../../lib/aliases.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { bool, hash, int, text } from '../../../http/params.ts'
import { raw, type RawAnswer } from '../../../http/returns.ts'
import { isoTime } from '../../../lib/clock.ts'
import { Failure, fail } from '../../../lib/fail.ts'
import { wrongCredential } from '../../auth/index.ts'
import { byId, type JobRow } from '../jobs/store.ts'
import { dropJob, finishJob } from '../processing/run.ts'
import { noteContact, runnerByToken } from '../runners/contact.ts'
import { runnerById, type RunnerRow } from '../runners/store.ts'
import { appendTrace } from '../traces/service.ts'
import { traceInterval } from '../traces/read.ts'
import { failureReason, runnerInfo } from './params.ts'
import type { RunnerFeatures } from './take.ts'
import { JOB_STATUS_HEADER, insistRunning, isAlive, runningJob } from './job-auth.ts'
import { holdOf } from './queue.ts'
import { news, queueValue } from './queue.ts'
import * as store from './store.ts'
import { takeJob, type Taken } from './take.ts'

const MAX_PART = 8 * 1024 * 1024
const JOB_TOKEN_HEADER = 'job-token'

const id = int({ min: 1 }).describe('The ID of the job')
const jobToken = text({ max: 1024 }).optional().describe('Token of the job; the header `JOB-TOKEN` will do')

/** Runners speak for themselves: they show a token of their own, and no credentials of anybody. */
export const requestJobs = endpoint('POST /jobs/request', {
  summary: 'Request a job',
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
  summary: 'Update a job',
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
    // Sent only while the job runs: runners take the status of a finished job as a request to stop.
    const headers: Record<string, string> = isAlive(status) ? { [JOB_STATUS_HEADER]: status } : {}
    return { type: 'application/json', body: '200', headers }
  },
})

export const appendTraces = endpoint('PATCH /jobs/:id/trace', {
  summary: 'Append to the log of a job',
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

/** A runner that speaks of its job is there: while all that it can do at once is running it asks for nothing. */
function noteCall(ctx: Ctx, job: Pick<JobRow, 'runner_id' | 'runner_system_id'>, ip: string): void {
  const runner = job.runner_id === null ? undefined : runnerById(ctx.db, job.runner_id)
  if (runner) noteContact(ctx, runner, undefined, job.runner_system_id, ip)
}

/** A runner that asks for a job. */
interface Asking {
  readonly runner: RunnerRow
  readonly system_id: string | null
  /** Identifies the process that asks. */
  readonly process: string
  readonly features: RunnerFeatures
  /** The queue value of the answer before. */
  readonly last_update: string | undefined
  /** Aborted when the runner goes away. */
  readonly signal: AbortSignal
}

/** A job; or no job, with the queue value that held before it was looked for. */
type Answer =
  | { readonly job: Exclude<Taken, undefined> }
  | { readonly job: undefined; readonly value: string }

/**
 * Finds a job for a runner, in the order of spec ci 1.6. A runner that knows already that there is none is kept waiting
 * until something may have changed, for half a minute at most, so that jobs start at once and nobody asks for nothing.
 */
async function requestJob(ctx: Ctx, asking: Asking): Promise<Answer> {
  const { runner } = asking
  const most = holdOf(ctx, runner.id, asking.process)
  const value = queueValue(ctx, runner.id)
  if (runner.paused) return { job: undefined, value }
  if (asking.last_update !== value) return look(ctx, asking, value)
  const time = await news(ctx, runner.id, { most, signal: asking.signal })
  if (asking.signal.aborted) return { job: undefined, value }
  // Time has gone by, and the runner may have been changed or removed.
  const later = { ...ctx, now: time ?? isoTime(Date.parse(ctx.now) + most) }
  const present = runnerById(ctx.db, runner.id)
  if (!present || present.paused) return { job: undefined, value }
  return look(later, { ...asking, runner: present }, queueValue(later, runner.id))
}

async function look(ctx: Ctx, asking: Asking, value: string): Promise<Answer> {
  const job = await takeJob(ctx, asking)
  if (job === undefined) return { job, value }
  // Nobody is there to run it. It is repeated by itself, as after any other failure to hand it over.
  if (asking.signal.aborted && job !== 'conflict') dropJob(ctx, job, 'scheduler_failure')
  return { job }
}

/** A part of a log as it arrives. */
interface TracePart {
  /** Header `Content-Range`, `0-99`: the end is not looked at. */
  readonly range: string
  readonly bytes: Buffer
  /** Token of the job, which must not appear in its log. */
  readonly token: string
  readonly debug_trace: boolean
}

/**
 * Adds a part to the log of a job, and answers where the log ends now, how the job stands and when to come again
 * (spec ci 1.9). Throws 403 once the log is too large, which fails the job.
 */
function receiveTrace(ctx: Ctx, job: JobRow, part: TracePart): RawAnswer {
  const start = startOf(part.range)
  const { outcome, size } = appendTrace(ctx, job, start, withoutToken(part.bytes, part.token))
  if (outcome === 'too_large') return tooLarge(ctx, job)
  if (part.debug_trace && start === 0 && !job.debug_trace) store.noteDebugTrace(ctx.db, job.id)
  const answer = { type: 'text/plain', body: '' }
  if (outcome === 'misplaced') return { ...answer, status: 416, headers: { Range: `0-${size}` } }
  return {
    ...answer,
    status: 202,
    headers: {
      Range: `0-${size}`,
      [JOB_STATUS_HEADER]: job.status,
      [TRACE_INTERVAL_HEADER]: String(traceInterval(ctx, job.id)),
    },
  }
}

function startOf(range: string): number {
  const [, start] = /^(\d{1,15})-(\d{0,15})$/.exec(range.trim()) ?? []
  if (range === '') throw fail('bad_request', '400 Missing header Content-Range')
  if (start === undefined) throw fail('bad_request', '400 Invalid header Content-Range')
  return Number(start)
}

function tooLarge(ctx: Ctx, job: JobRow): never {
  dropJob(ctx, job, 'trace_size_exceeded')
  insistRunning(byId(ctx.db, job.id)!)
  throw new Failure('forbidden')
}

/** Runners mask the token themselves; one that does not must not give it away. The log keeps its length. */
function withoutToken(bytes: Buffer, token: string): Buffer {
  let at = bytes.indexOf(token)
  if (at < 0) return bytes
  const clean = Buffer.from(bytes)
  for (; at >= 0; at = clean.indexOf(token, at)) clean.fill('*', at, at + token.length)
  return clean
}

/** What a runner says of a job that it runs. */
interface Update {
  readonly state: string
  readonly failure_reason?: string | undefined
  readonly exit_code?: number | undefined
  /** Of the whole log, `crc32:` and eight hex digits. */
  readonly checksum?: string | undefined
}

/**
 * Takes what a runner says of its job: that it is at it, or how it ended (spec ci 1.10). Throws 400 for other states. A log
 * that is not the one that the runner wrote is noted when it becomes a file; nothing can be done about it then.
 */
function updateJob(ctx: Ctx, job: JobRow, { state, failure_reason, exit_code, checksum }: Update): JobRow {
  if (state === 'running') {
    store.noteHeartbeat(ctx.db, job.id, ctx.now)
    return job
  }
  if (state !== 'success' && state !== 'failed') throw fail('bad_request')
  if (checksum !== undefined) store.noteChecksum(ctx.db, job.id, checksum)
  return finishJob(ctx, job, {
    status: state,
    exit_code: exit_code ?? null,
    ...(state === 'failed' ? { failure_reason: failureReason(failure_reason) } : {}),
  })
}
