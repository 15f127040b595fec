import type { Context, Next } from 'koa'

import type { Ctx } from '../../ctx.ts'
import { Failure } from '../../lib/fail.ts'
import { RateWindow, type Rate, type Use } from '../../lib/rate-window.ts'
import type { Actor } from '../../policy/actor.ts'
import { credentialsOf } from './credentials.ts'
import type { PipelineOptions } from '../pipeline.ts'
import { throttlesFor, type Throttle, type Throttles } from './throttle-kinds.ts'

/** The parts of the instance that the throttle needs. */
export interface ThrottleOptions extends Pick<PipelineOptions, 'contextFor' | 'authenticate' | 'anonymous'> {
  /** The throttles that are on; null when there is none. */
  readonly throttles: () => Throttles | null
}

/** Paths of git over HTTP. Its routes check their own credentials and report the actor. */
const GIT = /\.git\//

/**
 * Counts every request by address or user before other work, and refuses those beyond the rates of the settings with
 * 429 (spec administration 1.4). Stores the actor for the pipeline.
 */
export function throttle(options: ThrottleOptions) {
  return async function countRequest(ctx: Context, next: Next): Promise<void> {
    const throttles = options.throttles()
    if (!throttles) return next()
    const base = options.contextFor(options.anonymous)
    const window = base.db.instance('http.throttle', () => new RateWindow(), { dependsOnRows: true })
    const count = (actor: Actor): void => {
      for (const kind of throttlesFor(ctx, actor, throttles)) {
        const use = { throttles, kind, who: counterKeyOf(ctx, actor), now: Date.parse(base.now) }
        ctx.set(consume(window, use))
      }
    }
    if (GIT.test(ctx.path) && ctx.get('authorization') !== '') ctx.state['count'] = count
    else count(authenticatedActor(ctx, options, base))
    await next()
  }
}

/** Authenticates by headers and query. Invalid credentials count as anonymous. */
function authenticatedActor(ctx: Context, options: ThrottleOptions, base: Ctx): Actor {
  const watch = base.db.watchReads()
  try {
    const credentials = { ...credentialsOf(ctx), takesJobToken: true }
    const actor = options.authenticate(base, credentials)
    ctx.state['actor'] = actor
    return actor
  } catch (error) {
    if (error instanceof Failure) return options.anonymous
    throw error
  } finally {
    ctx.state['actorReads'] = watch.end()
  }
}

function counterKeyOf(ctx: Context, actor: Actor): string {
  if (actor.kind === 'anonymous') return ctx.ip
  return actor.kind === 'user' ? `user ${actor.sudo_by ?? actor.id}` : `${actor.kind} ${actor.id}`
}

interface CountedRequest {
  readonly throttles: Throttles
  readonly kind: Throttle
  readonly who: string
  readonly now: number
}

/** Counts one request and returns the rate headers. Throws 429 when there are too many requests. */
function consume(window: RateWindow, { throttles, kind, who, now }: CountedRequest): Record<string, string> {
  const rate = throttles.rates[kind]!
  const use = window.take(`${kind} ${who}`, rate, now)
  if (!use.allowed) throw tooMany(`throttle_${kind}`, { use, rate, now, text: throttles.text })
  return rateHeaders(`throttle_${kind}`, use, rate)
}

/** The rate headers (spec core 8.8). */
export function rateHeaders(name: string, use: Use, rate: Rate): Record<string, string> {
  return {
    'RateLimit-Name': name,
    // Clients expect a rate per minute.
    'RateLimit-Limit': String(Math.ceil((rate.max * 60) / rate.per)),
    'RateLimit-Observed': String(use.observed),
    'RateLimit-Remaining': String(use.remaining),
    'RateLimit-Reset': String(use.reset),
    'RateLimit-ResetTime': new Date(use.reset * 1000).toUTCString(),
  }
}

/** Creates a 429 with the throttle's text and headers. `now` is in milliseconds. */
export function tooMany(
  name: string,
  { use, rate, now, text }: { use: Use; rate: Rate; now: number; text: string | null },
): Failure {
  return new Failure('too_many', text || 'Retry later', {
    headers: {
      ...rateHeaders(name, use, rate),
      'Retry-After': String(Math.max(1, Math.ceil(use.reset - now / 1000))),
    },
  })
}
