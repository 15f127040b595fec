import type { ServerResponse } from 'node:http'

import type { Context } from 'koa'

import { type Client, clientDisconnected } from '../../git/process/locks.ts'
import { fail } from '../../lib/fail.ts'
import { changedSince } from '../answer/send.ts'
import type { Endpoint, Exchange } from '../endpoint.ts'
import { type Nested, queryOf } from './nesting.ts'

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

/** The client of a request. Its signal is created on first use. */
export class HttpClient implements Client {
  readonly onlyReads: boolean
  readonly #response: ServerResponse
  #abort: AbortController | undefined

  constructor(method: string, response: ServerResponse) {
    this.onlyReads = method === 'GET' || method === 'HEAD'
    this.#response = response
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      const controller = (this.#abort = new AbortController())
      if (hasDisconnected(this.#response)) controller.abort(clientDisconnected())
      else
        this.#response.once('close', () => {
          if (hasDisconnected(this.#response)) controller.abort(clientDisconnected())
        })
    }
    return this.#abort.signal
  }
}

/** True when the connection ended before the answer was complete. */
export function hasDisconnected(response: ServerResponse): boolean {
  return response.closed && !response.writableFinished
}

/** Error codes of streams after the client has disconnected. */
const DISCONNECT_CODES = new Set([
  'ABORT_ERR',
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
])

/** True for an error that only means that the client disconnected, such as during a download. */
export function isDisconnectError(error: unknown, response: ServerResponse): boolean {
  const { code } = error as { code?: unknown }
  return response.destroyed && typeof code === 'string' && DISCONNECT_CODES.has(code)
}
