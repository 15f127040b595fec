import type { Context } from 'koa'

import type { Ctx } from '../ctx.ts'
import { Failure } from '../lib/fail.ts'
import { RateWindow, type Rate } from '../lib/rate-window.ts'
import type { Endpoint } from './endpoint.ts'

/** The application rate limit of an endpoint (spec core 8.8), per user or address. */
export interface Limit extends Rate {
  /** The subject of the contract's sentence for too many requests, such as "This endpoint". */
  readonly what?: string
  /** Endpoints with the same name share a counter. */
  readonly together?: string
  /** A text by which requests are counted separately, such as one archive. Undefined if this request does not count. */
  by?(request: { readonly params: Readonly<Record<string, unknown>> }): string | undefined
  /** The maximum from the settings, instead of `max`; 0 means no limit. */
  maxOf?(ctx: Ctx): number
}

interface LimitedRequest {
  readonly ctx: Context
  readonly endpoint: Endpoint
  readonly base: Ctx
  readonly params: Readonly<Record<string, unknown>>
}

/** Counts a request of a limited endpoint. Throws 429 with the contract's body when the caller has sent too many. */
export function checkLimit(limit: Limit, { ctx, endpoint, base, params }: LimitedRequest): void {
  const subject = limit.by ? limit.by({ params }) : ''
  const max = limit.maxOf ? limit.maxOf(base) : limit.max
  if (subject === undefined || max === 0) return
  const caller = base.actor.kind === 'anonymous' ? ctx.ip : String(base.actor.id)
  const key = `${limit.together ?? endpoint.route} ${caller} ${subject}`
  const window = base.db.instance('http.limits', () => new RateWindow(), { dependsOnRows: true })
  if (window.take(key, { max, per: limit.per }, Date.parse(base.now)).allowed) return
  const error = `${limit.what ?? 'This endpoint'} has been requested too many times. Try again later.`
  throw new Failure('too_many', undefined, { body: { message: { error } } })
}
