import type { Context } from 'koa'

import type { Endpoint } from '../endpoint.ts'
import { queryOf, type Nested } from './nesting.ts'

/** The credentials of a request. */
export interface Credentials {
  readonly method: string
  /** Address of the client. */
  readonly ip: string
  header(name: string): string
  cookie(name: string): string | undefined
  /** Query parameters, and those of the body once it is read. */
  readonly query: Nested
  /** True if users may call the endpoint before they have changed an expired password or accepted the terms. */
  readonly allowsRestrictedSession?: boolean
  /** True if the endpoint accepts the tokens of CI jobs. */
  readonly takesJobToken?: boolean
}

/** Parameters that identify or change the actor. The body may contain them too (spec core 8.4). */
const CREDENTIAL_NAMES = ['private_token', 'access_token', 'job_token', 'sudo'] as const

/** True if parameters identify or change the actor. */
export function containsCredentials(params: Nested): boolean {
  return CREDENTIAL_NAMES.some((name) => Object.hasOwn(params, name))
}

/** The credentials of a request: from its headers, its cookies, and `query`. */
export function credentialsOf(
  ctx: Context,
  query: Nested = queryOf(ctx),
  endpoint?: Pick<Endpoint, 'allowsRestrictedSession' | 'jobToken'>,
): Credentials {
  return {
    allowsRestrictedSession: endpoint?.allowsRestrictedSession ?? false,
    takesJobToken: endpoint?.jobToken ?? false,
    method: ctx.method,
    ip: ctx.ip,
    header: (name) => ctx.get(name),
    cookie: (name) => ctx.cookies.get(name),
    query,
  }
}
