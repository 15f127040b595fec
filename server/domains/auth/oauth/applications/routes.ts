import type { Ctx } from '../../../../ctx.ts'
import { endpoint, atLeastOne, type Endpoint } from '../../../../http/endpoint.ts'
import { bool, int, text } from '../../../../http/params.ts'
import { created, noContent, ok, page } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import type { Ability, Openness, Scope } from '../../../../policy/ability.ts'
import { group, type Group } from '../../../groups/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { abilities } from '../policy.ts'
import {
  Application,
  ApplicationWithSecret,
  ManagedApplication,
  ManagedApplicationWithSecret,
} from './entity.ts'
import {
  applicationOf,
  createApplication,
  removeApplication,
  renewSecret,
  changeApplication,
} from './service.ts'
import { INSTANCE, list, type Owner } from './store.ts'

/** The endpoints of applications with one kind of owner. */
interface ApplicationScope {
  readonly path: `/-/${string}`
  /** The owner in summaries, such as "of a group". */
  readonly ofOwner: string
  readonly scope?: Scope<'group', Group>
  readonly can: Ability<Group> | Openness
  /** Whether applications may be trusted: they need no consent of users. */
  readonly allowsTrusted: boolean
  readonly owner: (ctx: Ctx & { group?: Group }) => Owner
  /** Throws 403 if the owner cannot create applications. */
  readonly checkNew?: (ctx: Ctx) => void
}

const application_id = int({ min: 1 }).describe('The ID of the application')

const values = {
  name: text({ max: 255 }).describe('Name'),
  redirect_uri: text({ max: 8192 }).describe('The redirect URIs, one per line'),
  scopes: text({ max: 1024 }).describe('The scopes, separated by spaces'),
}
const changes = {
  name: values.name.optional().describe('Name'),
  redirect_uri: values.redirect_uri.optional().describe('The redirect URIs, one per line'),
  scopes: values.scopes.optional().describe('The scopes, separated by spaces'),
  confidential: bool().optional().describe('The application is confidential: it can keep its secret'),
}
const trusted = { trusted: bool().optional().describe('Skip the consent of users') }
const fails = { 400: 'A value is invalid' }

/** Returns the endpoints that list, create, get, update and delete applications and renew their secrets. */
function applicationEndpoints({
  path,
  ofOwner,
  scope,
  can,
  allowsTrusted,
  owner,
  checkNew,
}: ApplicationScope): Endpoint[] {
  const shared = { ...(scope ? { scope } : {}), can: can as Openness }
  const trustedParam = allowsTrusted ? trusted : {}
  const idParam = { application_id }
  const load = (ctx: Ctx & { params: { application_id: number } }) =>
    applicationOf(ctx, owner(ctx), ctx.params.application_id)
  return [
    endpoint(`GET ${path}`, {
      ...shared,
      summary: `List the OAuth applications ${ofOwner}`,
      returns: page(ManagedApplication),
      run: (ctx) => list(ctx.db, owner(ctx), ctx.paging),
    }),
    endpoint(`POST ${path}`, {
      ...shared,
      summary: `Create an OAuth application ${ofOwner}`,
      volatile: true,
      params: {
        ...values,
        confidential: bool()
          .default(true)
          .describe('The application is confidential: it can keep its secret'),
        ...trustedParam,
      },
      fails,
      returns: created(ManagedApplicationWithSecret),
      run: (ctx) => {
        checkNew?.(ctx)
        const { trusted: isTrusted, ...input } = ctx.params as typeof ctx.params & { trusted?: boolean }
        return createApplication(ctx, owner(ctx), { ...input, trusted: isTrusted ?? false })
      },
    }),
    endpoint(`GET ${path}/:application_id`, {
      ...shared,
      summary: `Get an OAuth application ${ofOwner}`,
      params: idParam,
      returns: ok(ManagedApplication),
      run: (ctx) => load(ctx),
    }),
    endpoint(`PUT ${path}/:application_id`, {
      ...shared,
      summary: `Update an OAuth application ${ofOwner}`,
      params: { ...idParam, ...changes, ...trustedParam },
      parameterRules: [atLeastOne(...Object.keys(changes), ...Object.keys(trustedParam))],
      fails,
      returns: ok(ManagedApplication),
      run: (ctx) => changeApplication(ctx, load(ctx), ctx.params),
    }),
    endpoint(`DELETE ${path}/:application_id`, {
      ...shared,
      summary: `Delete an OAuth application ${ofOwner}`,
      params: idParam,
      returns: noContent,
      run: (ctx) => removeApplication(ctx, load(ctx)),
    }),
    endpoint(`POST ${path}/:application_id/renew_secret`, {
      ...shared,
      summary: `Renew the secret of an OAuth application ${ofOwner}`,
      volatile: true,
      params: idParam,
      returns: ok(ManagedApplicationWithSecret),
      run: (ctx) => renewSecret(ctx, load(ctx)),
    }),
  ]
}

function checkUserApplications(ctx: Ctx): void {
  if (!ctx.actor.is_admin && !settingsOf(ctx).user_oauth_applications)
    throw fail('forbidden', '403 Forbidden - Users may not register applications on this instance.')
}

export const ownApplications = applicationEndpoints({
  path: '/-/profile/applications',
  ofOwner: 'of your own',
  can: 'signed_in',
  allowsTrusted: false,
  owner: (ctx) => ({ owner_id: ctx.actor.id, owner_namespace_id: null }),
  checkNew: checkUserApplications,
})

export const groupApplications = applicationEndpoints({
  path: '/-/groups/:id/applications',
  ofOwner: 'of a group',
  scope: group,
  can: abilities.manage_group_applications,
  allowsTrusted: false,
  owner: (ctx) => ({ owner_id: null, owner_namespace_id: ctx.group!.id }),
  checkNew: checkUserApplications,
})

export const instanceApplications = applicationEndpoints({
  path: '/-/admin/applications',
  ofOwner: 'of the instance',
  can: 'admin',
  allowsTrusted: true,
  owner: () => INSTANCE,
})

const id = int({ min: 1 }).describe('The ID of the application')

export const listApplications = endpoint('GET /applications', {
  summary: 'List the OAuth applications of the instance',
  can: 'admin',
  returns: page(Application),
  run: ({ paging, ...ctx }) => list(ctx.db, INSTANCE, paging),
})

export const createInstanceApplication = endpoint('POST /applications', {
  summary: 'Create an OAuth application of the instance',
  can: 'admin',
  volatile: true,
  params: {
    name: text({ max: 255 }).describe('Name'),
    redirect_uri: text({ max: 8192 }).describe('The redirect URIs, one per line'),
    scopes: text({ max: 1024, notEmpty: true }).describe('The scopes, separated by spaces'),
    confidential: bool().default(true).describe('The application is confidential: it can keep its secret'),
  },
  fails,
  returns: created(ApplicationWithSecret),
  run: ({ params, ...ctx }) => createApplication(ctx, INSTANCE, { ...params, trusted: false }),
})

export const deleteApplication = endpoint('DELETE /applications/:id', {
  summary: 'Delete an OAuth application of the instance',
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
