import type { Context } from 'koa'

import type { Ctx } from '../ctx.ts'
import { fail, Failure, notFound } from '../lib/fail.ts'
import { canRead, hasAbility, type Openness, type Scope } from '../policy/ability.ts'
import type { Actor } from '../policy/actor.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * Checks the scopes of a token (spec core 7.4): `api` allows everything, `read_api` all reads, and other scopes the
 * endpoints that declare them. Throws 403.
 */
export function checkTokenScope(token: Endpoint['token'], actor: Actor, read: boolean): void {
  if (actor.scopes === null || token.includes('any')) return
  // A `read_…` scope never allows a write.
  const declared = read ? ['read_api', ...token] : token.filter((name) => !name.startsWith('read_'))
  const sufficient = ['api', ...declared]
  if (sufficient.some((name) => actor.scopes!.has(name))) return
  const description = 'The request requires higher privileges than provided by the access token.'
  throw new Failure('forbidden', undefined, {
    body: { error: 'insufficient_scope', error_description: description, scope: sufficient.join(' ') },
  })
}

/** Checks that the actor has the ability of an endpoint on the owner. Throws 401, 403 or 404. */
export function authorize(endpoint: Endpoint, ctx: Ctx, owner: unknown, write: boolean): void {
  const allowed =
    typeof endpoint.can === 'string'
      ? isOpen(endpoint.can, ctx.actor)
      : hasAbility(ctx, endpoint.scope!, endpoint.can, owner, write)
  if (allowed) return
  const refusal = typeof endpoint.can === 'string' ? undefined : endpoint.can.refusal
  if (refusal === 'not_found' && ctx.actor.kind !== 'anonymous') throw notFound(endpoint.scope?.title)
  if (ctx.actor.kind !== 'anonymous' && refusal === undefined && endpoint.forbiddenMessage !== undefined)
    throw fail('forbidden', `403 Forbidden - ${endpoint.forbiddenMessage}`)
  throw fail(ctx.actor.kind === 'anonymous' ? 'unauthorized' : (refusal ?? 'forbidden'))
}

/**
 * True when every anonymous caller gets 401. Another anonymous read of an owner gets 404 when it may not see the owner.
 */
export function needsSignIn({ can, scope }: Endpoint, write: boolean): boolean {
  if (can === 'anyone') return false
  return write || !scope || (typeof can !== 'string' && can.signedIn === true)
}

export function isOpen(openness: Openness, actor: Actor): boolean {
  if (openness === 'anyone') return true
  return openness === 'admin' ? actor.is_admin : actor.kind !== 'anonymous'
}

/**
 * Loads the owner in the path. Throws 404 when the owner is missing or the actor may not see it. For a path from before
 * a rename or transfer, throws 301 for reads and 405 for writes (spec core 8.9).
 */
export function loadScope(ctx: Context, scope: Scope, base: Ctx, reference: string): unknown {
  const owner = scope.load(base, reference)
  if (owner !== undefined && canRead(base, scope, owner)) return owner
  if (owner === undefined) refuseMoved(ctx, scope, base, reference)
  throw notFound(scope.title)
}

function refuseMoved(ctx: Context, scope: Scope, base: Ctx, reference: string): void {
  const moved = scope.moved?.(base, reference) as { id: number } | undefined
  if (moved === undefined || !canRead(base, scope, moved)) return
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
    throw fail('not_allowed', 'Non GET methods are not allowed for moved projects')
  }
  const path = ctx.path.replace(/^(\/api\/v4\/[^/]+\/)[^/]+/, (_all, head: string) => head + moved.id)
  const target = base.config.url + path + ctx.search
  throw new Failure('moved', `This resource has been moved permanently to ${target}`, {
    headers: { Location: target },
  })
}
