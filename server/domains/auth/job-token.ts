import type { Ctx } from '../../ctx.ts'
import { fail } from '../../lib/fail.ts'
import type { Actor } from '../../policy/actor.ts'

/**
 * The actor of a CI job token. No job runs on this instance yet, so no such token holds; the endpoints that accept one
 * will say so in their declaration. Throws 401: credentials that are shown and do not hold are never ignored.
 */
export function actorOfJobToken(_ctx: Ctx, _token: string): Actor {
  throw fail('unauthorized')
}
