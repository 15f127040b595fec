import type { Context, Next } from 'koa'

import { Failure } from '../../lib/fail.ts'
import type { RequestHold } from '../../lib/request-hold.ts'
import { errorAnswer } from '../answer/errors.ts'

/** The time in milliseconds that a request waits for the end of a hold. After it, the request is refused. */
const WAIT_MS = 5000
const RETRY_AFTER = '1'
/**
 * Paths of requests that do not wait. An event stream does not end, and its window reloads all data; the health checks
 * read no data.
 */
const EXEMPT = /^\/-\/(events|health|liveness|readiness)$/

/**
 * Counts every request until its answer is sent or its client has disconnected. A request waits during a hold, and gets
 * 503 if the hold takes too long.
 */
export function holdRequests(hold: RequestHold) {
  return async function countRequest(ctx: Context, next: Next): Promise<void> {
    if (EXEMPT.test(ctx.path)) return next()
    const release = await hold.enter(WAIT_MS)
    if (!release) return refuse(ctx)
    ctx.res.once('close', release)
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
