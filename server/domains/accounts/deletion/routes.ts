import { endpoint } from '../../../http/endpoint.ts'
import { bool, int } from '../../../http/params.ts'
import { noContent } from '../../../http/returns.ts'
import { userOf } from '../../users/index.ts'
import { scheduleDeletion } from './jobs.ts'

export const removeUser = endpoint('DELETE /users/:id', {
  summary: 'Delete a user; contributions move to the ghost user',
  can: 'admin',
  params: {
    id: int({ min: 1 }).describe('Id of the user'),
    hard_delete: bool().optional().describe('Delete the contributions too, and groups without another owner'),
  },
  fails: { 409: 'User cannot be removed while is the sole-owner of a group' },
  returns: noContent,
  run: ({ params, http, ...ctx }) => {
    const user = userOf(ctx, params.id)
    http.unmodifiedSince(user.updated_at)
    scheduleDeletion(ctx, user, { isHard: params.hard_delete ?? false })
  },
})
