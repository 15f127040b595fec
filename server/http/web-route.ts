import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Ctx } from '../ctx.ts'
import type { Actor } from '../policy/actor.ts'
import { parseForm } from './request/nesting.ts'
import type { Credentials } from './request/exchange.ts'

/**
 * A route that is not a JSON endpoint: git over HTTP, raw files, streams. It uses Node's request and response, so
 * domains need no framework. The host check, the request id and the log are the same as for endpoints.
 */
export interface WebRoute {
  readonly webRoute: true
  readonly name: string
  readonly methods: readonly string[]
  /** A pattern for the raw path; `handle` gets its groups. */
  readonly pattern: RegExp
  /** Answers a request, or declines it before anything is written. Then the next route is tried, and finally the window. */
  handle(exchange: WebExchange): Promise<void | 'declined'>
}

/** The request and response of a web route. */
export interface WebExchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly match: RegExpExecArray
  /** Raw query string. */
  readonly query: string
  /** A context of the anonymous actor. The route authenticates the client itself. */
  readonly ctx: Ctx
  readonly requestId: string
  /** Address of the client, behind trusted proxies too. */
  readonly ip: string
  /** Counts the request for the actor that the route has authenticated (git). Throws 429 for too many requests. */
  count(actor: Actor): void
}

/** Declares a web route. */
export function webRoute(declaration: Omit<WebRoute, 'webRoute'>): WebRoute {
  return { webRoute: true, ...declaration }
}

/** True for a declared web route. */
export function isWebRoute(value: unknown): value is WebRoute {
  return typeof value === 'object' && value !== null && (value as { webRoute?: unknown }).webRoute === true
}

/** The credentials of a request to a web route that only reads. */
export function webCredentials({ req, query, ip }: WebExchange): Credentials {
  const headers = req.headers as Readonly<Record<string, string | undefined>>
  return {
    method: 'GET',
    ip,
    header: (name) => headers[name.toLowerCase()] ?? '',
    cookie: (name) => cookieOf(req, name),
    query: parseForm(query),
  }
}

function cookieOf(req: IncomingMessage, name: string): string | undefined {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}
