import type { Context } from 'koa'

import { fail } from '../lib/fail.ts'
import { changedSince } from './conditional.ts'
import type { Exchange } from './endpoint.ts'

const NO_BYTES = Buffer.alloc(0)

/** What `run` may know and set of the HTTP exchange; the abort signal is only made for endpoints that ask for it. */
export function exchangeOf(
  ctx: Context,
  bytes: Buffer = NO_BYTES,
  given: Readonly<Record<string, unknown>> = {},
): Exchange {
  let abort: AbortController | undefined
  return {
    method: ctx.method,
    ip: ctx.ip,
    target: ctx.url,
    bytes,
    given,
    header: (name) => ctx.get(name),
    cookie: (name) => ctx.cookies.get(name),
    set: (name, value) =>
      name.toLowerCase() === 'set-cookie' ? ctx.append(name, value) : ctx.set(name, value),
    status: (code) => {
      ctx.state['status'] = code
    },
    unmodifiedSince: (updatedAt) => {
      if (changedSince(ctx.get('if-unmodified-since'), updatedAt)) throw fail('precondition_failed')
    },
    get signal() {
      if (!abort) {
        const made = (abort = new AbortController())
        ctx.res.once('close', () => {
          if (!ctx.res.writableFinished) made.abort()
        })
      }
      return abort.signal
    },
    onEnd: (work) => void ctx.res.once('close', work),
  }
}
