import type { Context } from 'koa'

import type { Endpoint } from '../endpoint.ts'
import { parseForm, type Nested } from './nesting.ts'

/** The credentials of a request. */
export interface Credentials {
  readonly method: string
  /** Address of the client. */
  readonly ip: string
  header(name: string): string
  cookie(name: string): string | undefined
  /** Query parameters, and those of the body once it is read. */
  readonly query: Nested
  /** True if users may call the endpoint before they have done a pending duty, such as changing their password. */
  readonly whileBarred?: boolean
  /** The endpoint accepts the tokens of CI jobs. */
  readonly takesJobToken?: boolean
}

/** Parameters that prove or change the actor; a body may have them too (spec core 8.4). */
const CREDENTIAL_NAMES = ['private_token', 'access_token', 'job_token', 'sudo'] as const

/** True for parameters that prove or change the actor. */
export function showsCredentials(params: Nested): boolean {
  return CREDENTIAL_NAMES.some((name) => Object.hasOwn(params, name))
}

/** The credentials of a request, from its headers, cookies and the given parameters. */
export function credentialsOf(
  ctx: Context,
  query: Nested = parseForm(ctx.querystring),
  endpoint?: Pick<Endpoint, 'whileBarred' | 'jobToken'>,
): Credentials {
  return {
    whileBarred: endpoint?.whileBarred ?? false,
    takesJobToken: endpoint?.jobToken ?? false,
    method: ctx.method,
    ip: ctx.ip,
    header: (name) => ctx.get(name),
    cookie: (name) => ctx.cookies.get(name),
    query,
  }
}
