import type { Context } from 'koa'

import type { Client } from '../../git/process/locks.ts'
import { fail } from '../../lib/fail.ts'
import { changedSince } from '../answer/conditional.ts'
import type { Exchange } from '../endpoint.ts'

const NO_BYTES = Buffer.alloc(0)

/** Creates the HTTP exchange that `run` gets. */
export function exchangeOf(
  ctx: Context,
  client: Pick<Client, 'signal'>,
  bytes: Buffer = NO_BYTES,
  input: Readonly<Record<string, unknown>> = {},
): Exchange {
  return {
    method: ctx.method,
    ip: ctx.ip,
    secure: ctx.state['secure'] === true,
    target: ctx.url,
    bytes,
    rawParams: input,
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
      return client.signal
    },
    onEnd: (work) => void ctx.res.once('close', work),
  }
}
