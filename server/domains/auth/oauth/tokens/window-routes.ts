import { endpoint } from '../../../../http/endpoint.ts'
import { int } from '../../../../http/params.ts'
import { noContent, page } from '../../../../http/returns.ts'
import { notFound } from '../../../../lib/fail.ts'
import { byIds } from '../applications/store.ts'
import { AuthorizedApplication } from './entity.ts'
import { deauthorizeApplication, revokeLooseToken } from './service.ts'
import { authorizedBy } from './store.ts'

export const listAuthorizedApplications = endpoint('GET /-/profile/authorized_applications', {
  summary: 'List the authorized applications of the current user',
  can: 'signed_in',
  returns: page(AuthorizedApplication, { paging: 'none' }),
  run: (ctx) => {
    const found = authorizedBy(ctx.db, ctx.actor.id!)
    const applications = byIds(
      ctx.db,
      found.flatMap((one) => one.application_id ?? []),
    )
    const rows = found.map((one) => ({
      ...one,
      application: one.application_id === null ? undefined : applications.get(one.application_id),
    }))
    return { rows, total: rows.length }
  },
})

export const revokeAuthorizedApplication = endpoint(
  'DELETE /-/profile/authorized_applications/:application_id',
  {
    summary: 'Revoke the authorization of an application',
    can: 'signed_in',
    params: { application_id: int({ min: 1 }).describe('Id of the application') },
    returns: noContent,
    run: ({ params, ...ctx }) => {
      if (!deauthorizeApplication(ctx, params.application_id)) throw notFound('Application')
    },
  },
)

export const revokeAuthorizedToken = endpoint('DELETE /-/profile/authorized_tokens/:token_id', {
  summary: 'Revoke an OAuth token that a password was given for',
  can: 'signed_in',
  params: { token_id: int({ min: 1 }).describe('Id of the token') },
  returns: noContent,
  run: ({ params, ...ctx }) => {
    if (!revokeLooseToken(ctx, params.token_id)) throw notFound('Token')
  },
})
