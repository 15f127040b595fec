import type { Ctx } from '../../ctx.ts'
import { notFound } from '../../lib/fail.ts'
import { namespaceOfUser } from '../namespaces/index.ts'
import { userById, userByUsername } from '../users/index.ts'
import type { ListRequest } from './listing.ts'

/** Narrows a list to what a user owns or starred; `reference` is an id or a user name. Throws `404 User Not Found`. */
export function projectsOfUser(ctx: Ctx, reference: string, kind: 'owned' | 'starred'): ListRequest {
  const user = /^\d{1,15}$/.test(reference)
    ? userById(ctx.db, Number(reference))
    : userByUsername(ctx.db, reference)
  if (!user) throw notFound('User')
  if (kind === 'starred') return { starred_by: user.id }
  const namespace = namespaceOfUser(ctx.db, user.id)
  return { namespace_ids: namespace ? [namespace.id] : [] }
}
