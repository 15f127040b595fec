import type { Ctx } from '../../../ctx.ts'
import type { RawAnswer } from '../../../http/returns.ts'
import { TRACE_INTERVAL_HEADER } from '../../../http/aliases.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import { byId, type JobRow } from '../jobs/store.ts'
import { dropJob } from '../processing/run.ts'
import { appendTrace } from '../traces/service.ts'
import { traceInterval } from '../traces/watching.ts'
import { insistRunning, JOB_STATUS_HEADER } from './job-auth.ts'
import * as store from './store.ts'

/** A part of a log as it arrives. */
export interface TracePart {
  /** Header `Content-Range`, `0-99`: the end is not looked at. */
  readonly range: string
  readonly bytes: Buffer
  /** Token of the job, which has no place in its log. */
  readonly token: string
  readonly debug_trace: boolean
}

/**
 * Adds a part to the log of a job, and answers where the log ends now, how the job stands and when to come again
 * (spec ci 1.9). Throws 403 once the log is too large, which fails the job.
 */
export function receiveTrace(ctx: Ctx, job: JobRow, part: TracePart): RawAnswer {
  const start = startOf(part.range)
  const { outcome, size } = appendTrace(ctx, job, start, withoutToken(part.bytes, part.token))
  if (outcome === 'too_large') return tooLarge(ctx, job)
  if (part.debug_trace && start === 0 && job.debug_trace === 0) store.noteDebugTrace(ctx.db, job.id)
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
