import type { Context } from 'koa'

import type { Rate } from '../../lib/rate-window.ts'
import type { Actor } from '../../policy/actor.ts'
import { queryOf } from './nesting.ts'

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
