import type { Context } from 'koa'

import type { Endpoint } from '../endpoint.ts'
import type { Credentials } from '../pipeline.ts'
import { parseForm, type Nested } from './nesting.ts'

/** What a request shows to prove who it is. */
export function credentialsOf(
  ctx: Context,
  query: Nested = parseForm(ctx.querystring),
  one?: Pick<Endpoint, 'whileBarred' | 'jobToken'>,
): Credentials {
  return {
    whileBarred: one?.whileBarred ?? false,
    takesJobToken: one?.jobToken ?? false,
    method: ctx.method,
    ip: ctx.ip,
    header: (name) => ctx.get(name),
    cookie: (name) => ctx.cookies.get(name),
    query,
  }
}
