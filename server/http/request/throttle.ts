import type { Context, Next } from 'koa'

import type { Ctx } from '../../ctx.ts'
import { Failure } from '../../lib/fail.ts'
import { type Rate, RateWindow, type Use } from '../../lib/rate-window.ts'
import type { Actor } from '../../policy/actor.ts'
import { credentialsOf } from './exchange.ts'
import type { PipelineOptions } from '../pipeline.ts'
import { queryOf } from './nesting.ts'

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

/** The names of the throttles (spec administration 1.4). The header `RateLimit-Name` adds a prefix. */
export const THROTTLES = [
  'unauthenticated_web',
  'unauthenticated_api',
  'unauthenticated_packages_api',
  'unauthenticated_files_api',
  'unauthenticated_deprecated_api',
  'unauthenticated_git_lfs',
  'authenticated_api',
  'authenticated_web',
  'authenticated_packages_api',
  'authenticated_files_api',
  'authenticated_deprecated_api',
  'authenticated_git_lfs',
  'protected_paths',
] as const

export type Throttle = (typeof THROTTLES)[number]

/** The throttles that are on in the settings (spec administration 1.4). */
export interface Throttles {
  readonly rates: Readonly<Partial<Record<Throttle, Rate>>>
  /** True for a path at which a POST counts as an attempt to sign in, unless its endpoint counts attempts itself. */
  readonly isProtected: (path: string) => boolean
  /** The text of the answer to a throttled request. */
  readonly text: string | null
}

const PACKAGES = /^\/api\/v\d+\/(?:projects\/[^/]+\/|groups\/[^/]+\/-\/)?packages\/[A-Za-z]/
const FILES = /^\/api\/v\d+\/projects\/[^/]+\/repository\/files\/./
const GROUP = /^\/api\/v\d+\/groups\/[^/]+\/?$/
const LFS = /\.git\/(?:info\/lfs|[a-z]+-lfs\/objects)\//
/** Paths that are never counted: health checks, and requests of runners that wait for jobs. */
const EXEMPT = /^\/-\/(?:health|liveness|readiness|metrics)\/?$|^\/api\/v\d+\/(?:jobs\/request|internal\/.*)$/
/** Files of the window and of the documentation. They are not counted, because one page loads many of them. */
const STATIC = /^\/(?:assets\/|-\/docs\/|favicon\.(?:ico|png|svg)$)/

/** The throttles that count a request. The headers of the answer report the last one. */
export function throttlesFor(ctx: Context, actor: Actor, { rates, isProtected }: Throttles): Throttle[] {
  const { path, method } = ctx
  if (EXEMPT.test(path) || STATIC.test(path)) return []
  const caller = actor.kind === 'anonymous' ? 'unauthenticated' : 'authenticated'
  const inApi = path.startsWith('/api/') && !isFromWindow(ctx, actor)
  const kinds: Throttle[] = [inApi ? apiKind(ctx, caller, rates) : webKind(path, caller, rates)]
  if (method === 'POST' && isProtected(path)) kinds.push('protected_paths')
  return kinds.filter((kind) => rates[kind] !== undefined)
}

/** True for API calls of the window, which count like its pages. */
function isFromWindow(ctx: Context, actor: Actor): boolean {
  return actor.kind === 'user' && actor.via === 'session' && ctx.get('x-csrf-token') !== ''
}

type CallerKind = 'unauthenticated' | 'authenticated'

/** The throttle of an API request. While a specific throttle is on, the general one does not count its requests. */
function apiKind(ctx: Context, caller: CallerKind, rates: Throttles['rates']): Throttle {
  const { path } = ctx
  const specific: [Throttle, () => boolean][] = [
    [`${caller}_packages_api`, () => PACKAGES.test(path)],
    [`${caller}_files_api`, () => FILES.test(path)],
    // Only the answer with the projects of the group is deprecated.
    [
      `${caller}_deprecated_api`,
      () => GROUP.test(path) && !/^(false|f|0|no|off)$/i.test(withProjectsParam(ctx)),
    ],
  ]
  return specific.find(([kind, applies]) => rates[kind] && applies())?.[0] ?? `${caller}_api`
}

function withProjectsParam(ctx: Context): string {
  const value = queryOf(ctx)['with_projects']
  return typeof value === 'string' ? value : ''
}

function webKind(path: string, caller: CallerKind, rates: Throttles['rates']): Throttle {
  return rates[`${caller}_git_lfs`] && LFS.test(path) ? `${caller}_git_lfs` : `${caller}_web`
}
