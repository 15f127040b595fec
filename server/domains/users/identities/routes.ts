import { endpoint } from '../../../http/endpoint.ts'
import { int, text } from '../../../http/params.ts'
import { noContent } from '../../../http/returns.ts'
import { userOf } from '../lookup.ts'
import { removeIdentity } from './service.ts'

export const remove = endpoint('DELETE /users/:id/identities/:provider', {
  summary: 'Take an account at a sign-in provider from a user',
  can: 'admin',
  params: {
    id: int({ min: 1 }).describe('Id of the user'),
    provider: text({ max: 255 }).describe('Name of the provider'),
  },
  returns: noContent,
  run: ({ params, ...ctx }) => removeIdentity(ctx, userOf(ctx, params.id).id, params.provider),
})
