import type { Ctx } from '../../../ctx.ts'
import { param, refuse, type Param } from '../../../http/param.ts'
import { LAST_UPDATE_HEADER, TRACE_INTERVAL_HEADER } from '../../../lib/aliases.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { bool, hash, int, text } from '../../../http/params.ts'
import { raw, type RawAnswer } from '../../../http/returns.ts'
import { isoTime } from '../../../lib/clock.ts'
import { Failure, fail } from '../../../lib/fail.ts'
import { wrongCredential } from '../../auth/index.ts'
import { FAILURE_REASONS } from '../../ci_config/index.ts'
import { byId, type JobRow } from '../jobs/store.ts'
import { dropJob, finishJob } from '../processing/run.ts'
import { noteContact, runnerByToken } from '../runners/contact.ts'
import { runnerById, type RunnerRow } from '../runners/store.ts'
import { appendTrace, traceInterval } from '../traces/service.ts'
import { type RunnerFeatures, takeJob, type TakeResult } from './take.ts'
import { JOB_STATUS_HEADER, checkRunning, isAlive, runningJob } from './job-auth.ts'
import { holdOf, news, queueValue } from './queue.ts'
import * as store from './store-queue.ts'

/** The data that a runner reports about itself with its calls (spec ci 1.6). */
interface RunnerInfo {
  readonly name?: string
  readonly version?: string
  readonly revision?: string
  readonly platform?: string
  readonly architecture?: string
  readonly executor?: string
  readonly features: RunnerFeatures
  readonly config: { readonly gpus?: string }
}

const TEXTS = ['name', 'version', 'revision', 'platform', 'architecture', 'executor'] as const
const MAX_TEXT = 255

/** More features than any runner announces. */
const MAX_FEATURES = 200

/** The parameter `info`. Old and new runners send it, so invalid parts are ignored. */
export function runnerInfo(): Param<RunnerInfo> {
  return param({ type: 'object' }, (raw) => {
    if (!isHash(raw)) return refuse('is invalid')
    const texts = TEXTS.flatMap((key) => {
      const value = textIn(raw[key])
      return value === undefined ? [] : [[key, value] as const]
    })
    const features = isHash(raw['features']) ? Object.entries(raw['features']).slice(0, MAX_FEATURES) : []
    const gpus = isHash(raw['config']) ? textIn(raw['config']['gpus']) : undefined
    return {
      ...Object.fromEntries(texts),
      features: Object.fromEntries(
        features.map(([name, value]) => [name.slice(0, MAX_TEXT), value === true]),
      ),
      config: gpus === undefined ? {} : { gpus },
    }
  })
}

function textIn(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.includes('\0') || !value.isWellFormed())
    return undefined
  return value.slice(0, MAX_TEXT)
}

function isHash(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const KNOWN: ReadonlySet<string> = new Set(FAILURE_REASONS)

/** Maps the failure reason of a runner to the stored one. */
export function failureReason(reason: string | undefined): string {
  if (reason === undefined || reason === '') return 'script_failure'
  return KNOWN.has(reason) ? reason : 'unknown_failure'
}

const MAX_PART = 8 * 1024 * 1024
const JOB_TOKEN_HEADER = 'job-token'

const id = int({ min: 1 }).describe('The ID of the job')
const jobToken = text({ max: 1024 }).optional().describe('The job token; the header `JOB-TOKEN` works, too')

/** Runners authenticate with their own token, without credentials of a user. */
export const requestJobs = endpoint('POST /jobs/request', {
  summary: 'Request a job',
  can: 'anyone',
  ignoresCredentials: true,
  params: {
    token: text({ max: 1024 }).describe('Authentication token of the runner'),
    system_id: text({ max: 255 }).optional().describe('The system ID of the runner process'),
    last_update: text({ max: 255 })
      .optional()
      .describe('The value of the last-update header of the previous answer'),
    info: runnerInfo().optional().describe('The version and features of the runner'),
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
  ignoresCredentials: true,
  params: {
    id,
    token: jobToken,
    state: text({ max: 255 }).optional().describe('`running`, `success` or `failed`'),
    failure_reason: text({ max: 255 }).optional().describe('The failure reason'),
    exit_code: int().optional().describe('The exit code of its commands'),
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
  summary: 'Append to the log of a job (for runners)',
  can: 'anyone',
  ignoresCredentials: true,
  maxBody: MAX_PART,
  takesBytes: true,
  params: {
    id,
    token: jobToken,
    debug_trace: bool().optional().describe('The log may contain secrets'),
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

/** A request about a job counts as contact, because a fully occupied runner requests no jobs. */
function noteCall(ctx: Ctx, job: Pick<JobRow, 'runner_id' | 'runner_system_id'>, ip: string): void {
  const runner = job.runner_id === null ? undefined : runnerById(ctx.db, job.runner_id)
  if (runner) noteContact(ctx, runner, undefined, job.runner_system_id, ip)
}

/** A request for a job. */
interface Asking {
  readonly runner: RunnerRow
  readonly system_id: string | null
  /** Identifies the process that sends the request. */
  readonly process: string
  readonly features: RunnerFeatures
  /** The queue value from the previous response. */
  readonly last_update: string | undefined
  /** Aborted when the runner disconnects. */
  readonly signal: AbortSignal
}

/** A job; or no job, with the queue value from before the search. */
type Answer =
  | { readonly job: Exclude<TakeResult, undefined> }
  | { readonly job: undefined; readonly value: string }

/**
 * Finds a job for a runner in the order of spec ci 1.6. If the queue value of the runner is current, the request is
 * held until it changes, for at most half a minute. So jobs start at once without polling.
 */
async function requestJob(ctx: Ctx, asking: Asking): Promise<Answer> {
  const { runner } = asking
  const limit = holdOf(ctx, runner.id, asking.process)
  const value = queueValue(ctx, runner.id)
  if (runner.paused) return { job: undefined, value }
  if (asking.last_update !== value) return look(ctx, asking, value)
  const time = await news(ctx, runner.id, { most: limit, signal: asking.signal })
  if (asking.signal.aborted) return { job: undefined, value }
  // The runner may have changed or been removed during the wait.
  const atTime = { ...ctx, now: time ?? isoTime(Date.parse(ctx.now) + limit) }
  const present = runnerById(ctx.db, runner.id)
  if (!present || present.paused) return { job: undefined, value }
  return look(atTime, { ...asking, runner: present }, queueValue(atTime, runner.id))
}

async function look(ctx: Ctx, asking: Asking, value: string): Promise<Answer> {
  const job = await takeJob(ctx, asking)
  if (job === undefined) return { job, value }
  // The runner has disconnected. The job is retried automatically, like after any failed handover.
  if (asking.signal.aborted && job !== 'conflict') dropJob(ctx, job, 'scheduler_failure')
  return { job }
}

/** A received part of a log. */
interface TracePart {
  /** Header `Content-Range`, `0-99`. The end is ignored. */
  readonly range: string
  readonly bytes: Buffer
  /** Token of the job, to be masked in its log. */
  readonly token: string
  readonly debug_trace: boolean
}

/**
 * Appends a part to the log of a job. Returns the new size, the status of the job and the update interval (spec ci
 * 1.9). Throws 403 and fails the job if the log is too large.
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
  checkRunning(byId(ctx.db, job.id)!)
  throw new Failure('forbidden')
}

/** Masks the job token, in case the runner does not. The length of the log stays. */
function withoutToken(bytes: Buffer, token: string): Buffer {
  let at = bytes.indexOf(token)
  if (at < 0) return bytes
  const clean = Buffer.from(bytes)
  for (; at >= 0; at = clean.indexOf(token, at)) clean.fill('*', at, at + token.length)
  return clean
}

/** A job update from a runner. */
interface Update {
  readonly state: string
  readonly failure_reason?: string | undefined
  readonly exit_code?: number | undefined
  /** Checksum of the whole log: `crc32:` and eight hex digits. */
  readonly checksum?: string | undefined
}

/**
 * Processes a job update from a runner: still running, or the result (spec ci 1.10). Throws 400 for other states. A log
 * that differs from the runner's checksum is logged when it is archived; it cannot be repaired.
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
