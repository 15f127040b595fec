import type { Context } from 'koa'

import type { Ctx } from '../../ctx.ts'
import { fail, Failure, notFound } from '../../lib/fail.ts'
import { canRead, type Scope } from '../../policy/ability.ts'

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
