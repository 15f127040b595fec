import type { Context, Next } from 'koa'

import { Failure } from '../../lib/fail.ts'
import type { RequestHold } from '../../lib/request-hold.ts'
import { errorAnswer } from '../answer/errors.ts'

/** The time in milliseconds that a request waits for the end of a hold before it is refused. */
const WAIT_MS = 5000
const RETRY_AFTER = '1'
/**
 * Requests that are not held. A stream of events does not end, and its window reloads all data; the others read
 * nothing.
 */
const PASSING = /^\/-\/(events|health|liveness|readiness)$/

/**
 * Counts every request until its answer is sent or its client has disconnected. A request waits during a hold, and gets
 * 503 if the hold takes too long.
 */
export function holdRequests(hold: RequestHold) {
  return async function countRequest(ctx: Context, next: Next): Promise<void> {
    if (PASSING.test(ctx.path)) return next()
    const leave = await hold.enter(WAIT_MS)
    if (!leave) return refuse(ctx)
    ctx.res.once('close', leave)
    await next()
  }
}

function refuse(ctx: Context): void {
  const answer = errorAnswer(
    new Failure('unavailable', 'The instance is restoring a snapshot; please try again.', {
      headers: { 'Retry-After': RETRY_AFTER },
    }),
  )
  ctx.status = answer.status
  ctx.set(answer.headers)
  ctx.body = answer.body as object
}
