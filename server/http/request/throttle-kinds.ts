import type { Context } from 'koa'

import type { Rate } from '../../lib/rate-window.ts'
import type { Actor } from '../../policy/actor.ts'
import { parseForm } from './nesting.ts'

/** The throttles by name (spec administration 1.4); what `RateLimit-Name` says, without its beginning. */
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

/** The throttles that are switched on, as the settings say at the moment (spec administration 1.4). */
export interface Throttles {
  readonly rates: Readonly<Partial<Record<Throttle, Rate>>>
  /** True for an address whose POSTs count as tries to get in, unless whoever serves it counts them itself. */
  readonly isProtected: (path: string) => boolean
  /** What a throttled request is told. */
  readonly text: string | null
}

const PACKAGES = /^\/api\/v\d+\/(?:projects\/[^/]+\/|groups\/[^/]+\/-\/)?packages\/[A-Za-z]/
const FILES = /^\/api\/v\d+\/projects\/[^/]+\/repository\/files\/./
const GROUP = /^\/api\/v\d+\/groups\/[^/]+\/?$/
const LFS = /\.git\/(?:info\/lfs|[a-z]+-lfs\/objects)\//
/** What watches over the instance, and runners that wait for work: never counted. */
const EXEMPT = /^\/-\/(?:health|liveness|readiness|metrics)\/?$|^\/api\/v\d+\/(?:jobs\/request|internal\/.*)$/
/** Files of the window and of the documentation; one page is many of them. */
const STATIC = /^\/(?:assets\/|-\/docs\/|favicon\.(?:ico|png|svg)$)/

/** The throttles that are on and that a request counts for, the one that its answer tells of last. */
export function kindsOf(ctx: Context, actor: Actor, { rates, isProtected }: Throttles): Throttle[] {
  const { path, method } = ctx
  if (EXEMPT.test(path) || STATIC.test(path)) return []
  const who = actor.kind === 'anonymous' ? 'unauthenticated' : 'authenticated'
  const inApi = path.startsWith('/api/') && !isOfWindow(ctx, actor)
  const kinds: Throttle[] = [inApi ? apiKind(ctx, who, rates) : webKind(path, who, rates)]
  if (method === 'POST' && isProtected(path)) kinds.push('protected_paths')
  return kinds.filter((kind) => rates[kind] !== undefined)
}

/** Calls that the window makes count as the window's, like its pages. */
function isOfWindow(ctx: Context, actor: Actor): boolean {
  return actor.kind === 'user' && actor.via === 'session' && ctx.get('x-csrf-token') !== ''
}

type Who = 'unauthenticated' | 'authenticated'

/** A throttle for one part of the API takes its requests out of the general one, while it is on. */
function apiKind({ path, querystring }: Context, who: Who, rates: Throttles['rates']): Throttle {
  const narrower: [Throttle, () => boolean][] = [
    [`${who}_packages_api`, () => PACKAGES.test(path)],
    [`${who}_files_api`, () => FILES.test(path)],
    // A group with its projects is what is deprecated; leaving them out is not.
    [`${who}_deprecated_api`, () => GROUP.test(path) && !/^(false|f|0|no|off)$/i.test(asked(querystring))],
  ]
  return narrower.find(([kind, isMeant]) => rates[kind] && isMeant())?.[0] ?? `${who}_api`
}

function asked(querystring: string): string {
  const value = parseForm(querystring)['with_projects']
  return typeof value === 'string' ? value : ''
}

function webKind(path: string, who: Who, rates: Throttles['rates']): Throttle {
  return rates[`${who}_git_lfs`] && LFS.test(path) ? `${who}_git_lfs` : `${who}_web`
}
