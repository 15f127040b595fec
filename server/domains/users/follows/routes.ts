import { endpoint } from '../../../http/endpoint.ts'
import { int } from '../../../http/params.ts'
import { created, page } from '../../../http/returns.ts'
import { UserBasic } from '../entity.ts'
import { follow, followsOf, unfollow } from './service.ts'
import * as store from './store.ts'

const userId = { id: int({ min: 1 }).describe('Id of the user') }

export const following = ([true, false] as const).map((isFollow) =>
  endpoint(`POST /users/:id/${isFollow ? 'follow' : 'unfollow'}`, {
    summary: isFollow ? 'Follow a user' : 'Unfollow a user',
    can: 'signed_in',
    params: userId,
    fails: {
      304: 'The caller follows already, or does not',
      400: 'Users cannot follow themselves, or more than 300 users',
    },
    returns: created(UserBasic),
    run: ({ params, ...ctx }) => (isFollow ? follow : unfollow)(ctx, params.id),
  }),
)

export const lists = (['followers', 'following'] as const).map((direction) =>
  endpoint(`GET /users/:id/${direction}`, {
    summary:
      direction === 'followers' ? 'List the followers of a user' : 'List the users that a user follows',
    can: 'anyone',
    token: ['read_user'],
    params: userId,
    pure: true,
    returns: page(UserBasic),
    run: ({ params, paging, ...ctx }) => store.list(ctx.db, followsOf(ctx, params.id).id, direction, paging),
  }),
)
