import { endpoint } from '../../../http/endpoint.ts'
import { choice, int } from '../../../http/params.ts'
import { ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { countTodos } from '../../todos/index.ts'
import { userOf } from '../../users/index.ts'
import { AssociationsCount, Membership, UserCounts } from './entity.ts'
import * as store from './store.ts'
import { waitingFor } from './store.ts'

const userId = { id: int({ min: 1 }).describe('Id of the user') }

export const listMemberships = endpoint('GET /users/:id/memberships', {
  summary: 'List the direct memberships of a user',
  can: 'admin',
  params: {
    ...userId,
    type: choice('Project', 'Namespace').optional().describe('Only memberships of this kind'),
  },
  pure: true,
  returns: page(Membership),
  run: ({ params, paging, ...ctx }) =>
    store.memberships(ctx.db, userOf(ctx, params.id).id, params.type, paging),
})

export const countAssociations = endpoint('GET /users/:id/associations_count', {
  summary: 'Get the associations count of a user',
  can: 'signed_in',
  params: userId,
  pure: true,
  returns: ok(AssociationsCount),
  run: ({ params, ...ctx }) => {
    if (!ctx.actor.is_admin && ctx.actor.id !== params.id) throw fail('forbidden')
    return store.associations(ctx.db, userOf(ctx, params.id).id)
  },
})

export const countOwn = endpoint('GET /user_counts', {
  summary: 'Get the user counts: assigned issues, merge requests and to-do items',
  can: 'signed_in',
  token: ['read_user'],
  returns: ok(UserCounts),
  run: (ctx) => ({ ...waitingFor(ctx.db, ctx), todos: countTodos(ctx) }),
})
