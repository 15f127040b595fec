import type { Context } from 'koa'

import type { Rate } from '../../lib/rate-window.ts'
import type { Actor } from '../../policy/actor.ts'
import { parseForm } from './nesting.ts'

/** The names of the throttles (spec administration 1.4); `RateLimit-Name` adds a prefix. */
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
  /** True for an address where a POST counts as an attempt to sign in, unless the address counts attempts itself. */
  readonly isProtected: (path: string) => boolean
  /** The text of the answer to a throttled request. */
  readonly text: string | null
}

const PACKAGES = /^\/api\/v\d+\/(?:projects\/[^/]+\/|groups\/[^/]+\/-\/)?packages\/[A-Za-z]/
const FILES = /^\/api\/v\d+\/projects\/[^/]+\/repository\/files\/./
const GROUP = /^\/api\/v\d+\/groups\/[^/]+\/?$/
const LFS = /\.git\/(?:info\/lfs|[a-z]+-lfs\/objects)\//
/** Health checks, and runners that wait for work: never counted. */
const EXEMPT = /^\/-\/(?:health|liveness|readiness|metrics)\/?$|^\/api\/v\d+\/(?:jobs\/request|internal\/.*)$/
/** Files of the window and of the documentation; one page loads many of them. */
const STATIC = /^\/(?:assets\/|-\/docs\/|favicon\.(?:ico|png|svg)$)/

/** The throttles that a request counts for. The answer reports the last one. */
export function kindsOf(ctx: Context, actor: Actor, { rates, isProtected }: Throttles): Throttle[] {
  const { path, method } = ctx
  if (EXEMPT.test(path) || STATIC.test(path)) return []
  const who = actor.kind === 'anonymous' ? 'unauthenticated' : 'authenticated'
  const inApi = path.startsWith('/api/') && !isOfWindow(ctx, actor)
  const kinds: Throttle[] = [inApi ? apiKind(ctx, who, rates) : webKind(path, who, rates)]
  if (method === 'POST' && isProtected(path)) kinds.push('protected_paths')
  return kinds.filter((kind) => rates[kind] !== undefined)
}

/** API calls of the window count like its pages. */
function isOfWindow(ctx: Context, actor: Actor): boolean {
  return actor.kind === 'user' && actor.via === 'session' && ctx.get('x-csrf-token') !== ''
}

type Who = 'unauthenticated' | 'authenticated'

/** While a throttle for one part of the API is on, its requests do not count for the general one. */
function apiKind({ path, querystring }: Context, who: Who, rates: Throttles['rates']): Throttle {
  const narrower: [Throttle, () => boolean][] = [
    [`${who}_packages_api`, () => PACKAGES.test(path)],
    [`${who}_files_api`, () => FILES.test(path)],
    // Only a group with its projects is deprecated.
    [
      `${who}_deprecated_api`,
      () => GROUP.test(path) && !/^(false|f|0|no|off)$/i.test(withProjectsParam(querystring)),
    ],
  ]
  return narrower.find(([kind, isMeant]) => rates[kind] && isMeant())?.[0] ?? `${who}_api`
}

function withProjectsParam(querystring: string): string {
  const value = parseForm(querystring)['with_projects']
  return typeof value === 'string' ? value : ''
}

function webKind(path: string, who: Who, rates: Throttles['rates']): Throttle {
  return rates[`${who}_git_lfs`] && LFS.test(path) ? `${who}_git_lfs` : `${who}_web`
}
