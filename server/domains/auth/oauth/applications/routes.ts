import { endpoint } from '../../../../http/endpoint.ts'
import { bool, int, text } from '../../../../http/params.ts'
import { created, noContent, ok, page } from '../../../../http/returns.ts'
import { Application, ApplicationWithSecret } from './entity.ts'
import { applicationOf, createApplication, removeApplication, renewSecret } from './service.ts'
import { INSTANCE, list } from './store.ts'

const id = int({ min: 1 }).describe('Id of the application')

export const listApplications = endpoint('GET /applications', {
  summary: 'List the OAuth applications of the instance',
  can: 'admin',
  returns: page(Application),
  run: ({ paging, ...ctx }) => list(ctx.db, INSTANCE, paging),
})

export const createInstanceApplication = endpoint('POST /applications', {
  summary: 'Register an OAuth application of the instance',
  can: 'admin',
  volatile: true,
  params: {
    name: text({ max: 255 }).describe('Name'),
    redirect_uri: text({ max: 8192 }).describe('The redirect URIs, one per line'),
    scopes: text({ max: 1024, notEmpty: true }).describe('The scopes, separated by spaces'),
    confidential: bool().default(true).describe('The application is confidential: it can keep its secret'),
  },
  fails: { 400: 'A value is not acceptable' },
  returns: created(ApplicationWithSecret),
  run: ({ params, ...ctx }) => createApplication(ctx, INSTANCE, { ...params, trusted: false }),
})

export const deleteApplication = endpoint('DELETE /applications/:id', {
  summary: 'Remove an OAuth application of the instance',
  can: 'admin',
  params: { id },
  returns: noContent,
  run: ({ params, ...ctx }) => removeApplication(ctx, applicationOf(ctx, INSTANCE, params.id)),
})

export const renewApplicationSecret = endpoint('POST /applications/:id/renew-secret', {
  summary: 'Renew the secret of an OAuth application of the instance',
  can: 'admin',
  volatile: true,
  params: { id },
  returns: ok(ApplicationWithSecret),
  run: ({ params, ...ctx }) => renewSecret(ctx, applicationOf(ctx, INSTANCE, params.id)),
})
