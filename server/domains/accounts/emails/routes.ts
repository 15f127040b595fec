import { endpoint } from '../../../http/endpoint.ts'
import { int } from '../../../http/params.ts'
import { created } from '../../../http/returns.ts'
import { HandedLinkView } from '../../auth/entity.ts'
import { userOf } from '../../users/index.ts'
import { makeEmailConfirmation } from './service.ts'

export const createConfirmation = endpoint('POST /-/admin/users/:id/emails/:email_id/confirmation', {
  summary: 'Create a link that confirms a secondary email address of a user',
  can: 'admin',
  volatile: true,
  params: {
    id: int({ min: 1 }).describe('Id of the user'),
    email_id: int({ min: 1 }).describe('Id of the address'),
  },
  fails: { 409: 'The email address is confirmed already.' },
  returns: created(HandedLinkView),
  run: ({ params, ...ctx }) => makeEmailConfirmation(ctx, userOf(ctx, params.id).id, params.email_id),
})
