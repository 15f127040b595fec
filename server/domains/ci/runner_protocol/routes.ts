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
import { recordContact, runnerByToken } from '../runners/contact.ts'
import { runnerById, type RunnerRow } from '../runners/store.ts'
import { appendTrace, traceInterval } from '../traces/service.ts'
import { type RunnerFeatures, takeJob, type TakeResult } from './take.ts'
import { JOB_STATUS_HEADER, checkRunning, isRunning, runningJob } from './job-auth.ts'
import { holdTime, waitForChange, queueValue } from './queue.ts'
import * as store from './store-queue.ts'

/** The data about itself that a runner sends with its requests (spec ci 1.6). */
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

/** The maximum number of features, which is more than any runner has. */
const MAX_FEATURES = 200

/** The `info` parameter. Invalid fields are ignored, because runners of all versions send it. */
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

/** The failure reason to store for the one that a runner reports. */
export function failureReason(reason: string | undefined): string {
  if (reason === undefined || reason === '') return 'script_failure'
  return KNOWN.has(reason) ? reason : 'unknown_failure'
}

/** The maximum size in bytes of one addition to a log. */
const MAX_TRACE_CHUNK = 8 * 1024 * 1024
const JOB_TOKEN_HEADER = 'job-token'

const id = int({ min: 1 }).describe('The ID of the job')
const jobToken = text({ max: 1024 }).optional().describe('The job token, if there is no `JOB-TOKEN` header')

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
      .describe('The value of the last-update header in the previous response'),
    info: runnerInfo().optional().describe('The version and features of the runner'),
  },
  fails: { 409: 'The job went to another runner' },
  returns: { ...raw, status: 201 },
  otherStatuses: { 204: 'There is no job for the runner' },
  run: async (ctx) => {
    const { params } = ctx
    const runner = runnerByToken(ctx, params.token)
    if (!runner) throw wrongCredential(ctx, params.token, fail('forbidden'))
    const system_id = params.system_id ?? null
    recordContact(ctx, runner, params.info, system_id, ctx.http.ip)
    const features = params.info?.features ?? {}
    const { signal } = ctx.http
    const { last_update } = params
    const process = system_id ?? ctx.http.ip
    const answer = await requestJob(ctx, { runner, system_id, process, features, last_update, signal })
    if (answer.job === 'conflict') throw fail('conflict')
    if (answer.job) return { type: 'application/json', body: JSON.stringify(answer.job) }
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
    state: text({ max: 255 }).optional().describe('The state of the job: `running`, `success` or `failed`'),
    failure_reason: text({ max: 255 }).optional().describe('The failure reason'),
    exit_code: int().optional().describe("The exit code of the job's commands"),
    checksum: text({ max: 255 }).optional().describe('The checksum of the log'),
    output: hash({ checksum: text({ max: 255 }).optional(), bytesize: int().optional() })
      .optional()
      .describe('The checksum and size of the log'),
  },
  fails: { 400: 'The state is invalid' },
  returns: raw,
  run: (ctx) => {
    const { params } = ctx
    const job = runningJob(ctx, params.id, params.token ?? ctx.http.header(JOB_TOKEN_HEADER))
    recordJobContact(ctx, job, ctx.http.ip)
    const checksum = params.output?.checksum ?? params.checksum
    const { status } = updateJob(ctx, job, { ...params, state: params.state ?? '', checksum })
    // The header is only sent while the job is running, because runners take any other status as a request to stop.
    const headers: Record<string, string> = isRunning(status) ? { [JOB_STATUS_HEADER]: status } : {}
    return { type: 'application/json', body: '200', headers }
  },
})

export const appendTraces = endpoint('PATCH /jobs/:id/trace', {
  summary: 'Append to the log of a job (for runners)',
  can: 'anyone',
  ignoresCredentials: true,
  maxBody: MAX_TRACE_CHUNK,
  takesBytes: true,
  params: {
    id,
    token: jobToken,
    debug_trace: bool().optional().describe('Whether the log may contain secrets'),
  },
  fails: {
    400: '400 Missing header Content-Range',
    416: 'The part does not begin at the end of the log; `Range` contains its size',
  },
  returns: { ...raw, status: 202 },
  run: (ctx) => {
    const { params, http } = ctx
    const token = http.header(JOB_TOKEN_HEADER) || (params.token ?? '')
    const job = runningJob(ctx, params.id, token)
    recordJobContact(ctx, job, http.ip)
    const range = http.header('content-range')
    return receiveTrace(ctx, job, {
      range,
      token,
      bytes: http.bytes,
      debug_trace: params.debug_trace === true,
    })
  },
})

/** Records a request about a job as contact of its runner, because a fully occupied runner requests no jobs. */
function recordJobContact(ctx: Ctx, job: Pick<JobRow, 'runner_id' | 'runner_system_id'>, ip: string): void {
  const runner = job.runner_id === null ? undefined : runnerById(ctx.db, job.runner_id)
  if (runner) recordContact(ctx, runner, undefined, job.runner_system_id, ip)
}

/** A request for a job. */
interface JobRequest {
  readonly runner: RunnerRow
  readonly system_id: string | null
  /** Identifies the process that sends the request. */
  readonly process: string
  readonly features: RunnerFeatures
  /** The queue value in the previous response. */
  readonly last_update: string | undefined
  /** Aborted when the runner disconnects. */
  readonly signal: AbortSignal
}

/** The result of a request: a job, or the queue value from before the search if there is no job. */
type Answer =
  | { readonly job: Exclude<TakeResult, undefined> }
  | { readonly job: undefined; readonly value: string }

/**
 * Finds a job for a runner (spec ci 1.6). If the runner's queue value is current, the request is held until the value
 * changes, at most half a minute. So jobs start immediately, without frequent polling.
 */
async function requestJob(ctx: Ctx, request: JobRequest): Promise<Answer> {
  const { runner } = request
  const limit = holdTime(ctx, runner.id, request.process)
  const value = queueValue(ctx, runner.id)
  if (runner.paused) return { job: undefined, value }
  if (request.last_update !== value) return findJob(ctx, request, value)
  const time = await waitForChange(ctx, runner.id, { most: limit, signal: request.signal })
  if (request.signal.aborted) return { job: undefined, value }
  // The runner may have changed or been removed during the wait.
  const laterCtx = { ...ctx, now: time ?? isoTime(Date.parse(ctx.now) + limit) }
  const current = runnerById(ctx.db, runner.id)
  if (!current || current.paused) return { job: undefined, value }
  return findJob(laterCtx, { ...request, runner: current }, queueValue(laterCtx, runner.id))
}

async function findJob(ctx: Ctx, request: JobRequest, value: string): Promise<Answer> {
  const job = await takeJob(ctx, request)
  if (job === undefined) return { job, value }
  // The runner has disconnected. The job fails with a reason after which it is retried automatically.
  if (request.signal.aborted && job !== 'conflict') dropJob(ctx, job, 'scheduler_failure')
  return { job }
}

/** An addition to a log. */
interface TraceChunk {
  /** The `Content-Range` header, such as `0-99`. Only the start is used. */
  readonly range: string
  readonly bytes: Buffer
  /** The token of the job, which is masked in the log. */
  readonly token: string
  readonly debug_trace: boolean
}

/**
 * Appends to the log of a job (spec ci 1.9). Returns the new size, the status of the job and the update interval. If the
 * log is too large, it fails the job and throws 403.
 */
function receiveTrace(ctx: Ctx, job: JobRow, chunk: TraceChunk): RawAnswer {
  const start = startOf(chunk.range)
  const { outcome, size } = appendTrace(ctx, job, start, maskToken(chunk.bytes, chunk.token))
  if (outcome === 'too_large') return tooLarge(ctx, job)
  if (chunk.debug_trace && start === 0 && !job.debug_trace) store.markDebugTrace(ctx.db, job.id)
  const answer = { type: 'text/plain', body: '' }
  if (outcome === 'misplaced') return { ...answer, status: 416, headers: { Range: `0-${size}` } }
  return {
    ...answer,
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

/** Masks the job token, in case the runner does not. The length does not change. */
function maskToken(bytes: Buffer, token: string): Buffer {
  let offset = bytes.indexOf(token)
  if (offset < 0) return bytes
  const masked = Buffer.from(bytes)
  for (; offset >= 0; offset = masked.indexOf(token, offset)) masked.fill('*', offset, offset + token.length)
  return masked
}

/** An update of a job by its runner. */
interface Update {
  readonly state: string
  readonly failure_reason?: string | undefined
  readonly exit_code?: number | undefined
  /** The checksum of the whole log: `crc32:` and eight hex digits. */
  readonly checksum?: string | undefined
}

/**
 * Handles an update of a job by its runner (spec ci 1.10): the job is still running, or this is its result. Throws 400
 * for other states. The checksum of the log is compared when the log is archived.
 */
function updateJob(ctx: Ctx, job: JobRow, { state, failure_reason, exit_code, checksum }: Update): JobRow {
  if (state === 'running') {
    store.setHeartbeat(ctx.db, job.id, ctx.now)
    return job
  }
  if (state !== 'success' && state !== 'failed') throw fail('bad_request')
  if (checksum !== undefined) store.setChecksum(ctx.db, job.id, checksum)
  return finishJob(ctx, job, {
    status: state,
    exit_code: exit_code ?? null,
    ...(state === 'failed' ? { failure_reason: failureReason(failure_reason) } : {}),
  })
}
