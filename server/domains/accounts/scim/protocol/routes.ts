import type { Ctx } from '../../../../ctx.ts'
import { endpoint, type AnswerFormat, type Endpoint, type Exchange } from '../../../../http/endpoint.ts'
import { param } from '../../../../http/param.ts'
import { list, text } from '../../../../http/params.ts'
import { created, noContent, ok } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import { enter, type Entered } from '../service-scope.ts'
import * as service from '../service.ts'
import { all, resourceTypes, schemas, serviceProviderConfig } from './discovery.ts'
import { ScimDocument, ScimDocumentList, ScimUser, ScimUserList } from './entity.ts'
import { incomingOf } from './incoming.ts'
import { listUsers, viewOf } from './list.ts'
import { patchOf } from './patch.ts'

/** Any JSON value; it is parsed after the token was checked. */
const anything = (schema: Record<string, unknown>) => param<unknown>(schema, (raw) => raw).optional()

const object = { type: 'object', properties: {} }

const objects = { type: 'array', items: object }

const listParams = {
  filter: text()
    .optional()
    .describe('RFC 7644 filter on id, externalId, userName, displayName, name, emails, active or meta'),
  startIndex: text().optional().describe('Number of the first user, from 1'),
  count: text().optional().describe('Number of users, at most 100 (default 20)'),
  attributes: list(text()).optional().describe('Only these attributes'),
  excludedAttributes: list(text()).optional().describe('All but these attributes'),
}

const userParams = {
  externalId: anything({ type: 'string' }).describe('External UID of the user'),
  userName: anything({ type: 'string' }).describe(
    'The source of the user name; invalid characters are replaced',
  ),
  name: anything(object).describe('`formatted`, or `givenName` and `familyName`'),
  displayName: anything({ type: 'string' }).describe('The name, if `name` is not given'),
  emails: anything(objects).describe('Addresses; the one of type `work`, or the primary one, counts'),
  active: anything({ type: 'boolean' }).describe('Whether the user is active'),
}

const patchParams = {
  Operations: anything(objects).describe('`op` (add, replace, remove), `path` and `value`'),
}

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** The format of answers and errors in RFC 7644; an invalid token gets the error of the API (spec administration 8.2). */
const scimDialect: AnswerFormat = {
  type: 'application/scim+json',
  refusal: (status, body) =>
    status === 401 ? body : { schemas: [ERROR_SCHEMA], detail: sentenceOf(body), status },
}

function sentenceOf(body: unknown): string {
  const { message, error } = (body ?? {}) as { message?: unknown; error?: unknown }
  const detail = message ?? error
  if (typeof detail === 'string') return detail
  if (typeof detail !== 'object' || detail === null) return 'The request was refused'
  return Object.entries(detail)
    .map(([field, texts]) => `${field.replaceAll('_', ' ')} ${[texts].flat().join(', ')}`)
    .join('; ')
}

type ScimContext = Ctx & { http: Exchange; params: { group_path?: string } }

const uid = text().describe('External UID of the user')
const fails = {
  409: 'The external UID, user name or address is taken',
  412: 'A field is missing or invalid',
}

/** The endpoints for identity providers (RFC 7644), for a top-level group and for the instance. */
function protocolEndpoints(at: `/api/scim/v2/${string}`, of: string, inGroup: boolean): Endpoint[] {
  const path = { group_path: text().describe('Path of a top-level group') }
  // Without a group the parameter is missing; the type is for `run`.
  const group = (inGroup ? path : {}) as typeof path
  const common = { can: 'anyone', ignoresCredentials: true, format: scimDialect } as const
  const authenticated = (context: unknown): Entered => {
    const { http, params, ...ctx } = context as ScimContext
    return enter(ctx, params.group_path, http.header('authorization'))
  }
  return [
    endpoint(`GET ${at}/ServiceProviderConfig`, {
      ...common,
      summary: `Get the SCIM features of ${of}`,
      params: group,
      returns: ok(ScimDocument),
      run: (ctx) => serviceProviderConfig(authenticated(ctx).scope),
    }),
    ...documents(at, `Schemas`, schemas),
    ...documents(at, `ResourceTypes`, resourceTypes),
    endpoint(`GET ${at}/Users`, {
      ...common,
      summary: `List the SCIM users of ${of}`,
      params: { ...group, ...listParams },
      fails,
      returns: ok(ScimUserList),
      run: (context) => {
        const { ctx, scope } = authenticated(context)
        return listUsers(ctx, scope, context.params)
      },
    }),
    ...searches(),
    endpoint(`GET ${at}/Users/:id`, {
      ...common,
      summary: `Get a SCIM user of ${of}`,
      params: {
        ...group,
        id: uid,
        attributes: listParams.attributes,
        excludedAttributes: listParams.excludedAttributes,
      },
      spans: ['id'],
      returns: ok(ScimUser),
      run: (context) => {
        const { ctx, scope } = authenticated(context)
        return viewOf(scope, service.findUser(ctx, scope, context.params.id), context.params)
      },
    }),
    endpoint(`POST ${at}/Users`, {
      ...common,
      summary: `Create a SCIM user of ${of}`,
      params: { ...group, ...userParams },
      fails,
      returns: created(ScimUser),
      run: async (context) => {
        const { ctx, scope } = authenticated(context)
        const view = viewOf(scope, await service.provision(ctx, scope, incomingOf(context.http.given)))
        context.http.set('Location', view.location)
        return view
      },
    }),
    endpoint(`PUT ${at}/Users/:id`, {
      ...common,
      summary: `Replace a SCIM user of ${of}`,
      params: { ...group, id: uid, ...userParams },
      spans: ['id'],
      fails,
      returns: ok(ScimUser),
      run: (context) => {
        const { ctx, scope } = authenticated(context)
        const incoming = incomingOf(context.http.given)
        return viewOf(scope, service.changeFrom(ctx, scope, context.params.id, incoming))
      },
    }),
    endpoint(`PATCH ${at}/Users/:id`, {
      ...common,
      summary: `Update a SCIM user of ${of}`,
      params: { ...group, id: uid, ...patchParams },
      spans: ['id'],
      fails,
      returns: noContent,
      run: (context) => {
        const { ctx, scope } = authenticated(context)
        const user = service.findUser(ctx, scope, context.params.id)
        service.changeFrom(ctx, scope, user.extern_uid, patchOf(context.params.Operations, user))
      },
    }),
    endpoint(`DELETE ${at}/Users/:id`, {
      ...common,
      summary: `Remove a SCIM user from ${of}`,
      params: { ...group, id: uid },
      spans: ['id'],
      fails,
      returns: noContent,
      run: (context) => {
        const { ctx, scope } = authenticated(context)
        service.deprovision(ctx, scope, context.params.id)
      },
    }),
    ...missing(),
  ]

  /** The endpoints of one kind of documents: the list, and one document by its id. */
  function documents(base: string, name: string, documentsOf: typeof schemas): Endpoint[] {
    return [
      endpoint(`GET ${base as '/x'}/${name}`, {
        ...common,
        summary: `List the SCIM ${name} of ${of}`,
        params: group,
        returns: ok(ScimDocumentList),
        run: (ctx) => all(documentsOf(authenticated(ctx).scope)),
      }),
      endpoint(`GET ${base as '/x'}/${name}/:name`, {
        ...common,
        summary: `Get one of the SCIM ${name} of ${of}`,
        params: { ...group, name: text().describe('Id of the document') },
        returns: ok(ScimDocument),
        run: (ctx) => {
          const document = documentsOf(authenticated(ctx).scope).find(
            (document) => document['id'] === ctx.params.name,
          )
          if (!document) throw fail('not_found', `Resource ${ctx.params.name} not found`)
          return document
        },
      }),
    ]
  }

  /** Searches with a body, for queries that are too long for a URL; all resources are users. */
  function searches(): Endpoint[] {
    return (['/Users', ''] as const).map((below) =>
      endpoint(`POST ${at}${below}/.search`, {
        ...common,
        summary: `Search the SCIM ${below ? 'users' : 'resources'} of ${of}`,
        params: { ...group, ...listParams },
        fails,
        returns: ok(ScimUserList),
        run: (context) => {
          const { ctx, scope } = authenticated(context)
          return listUsers(ctx, scope, context.params)
        },
      }),
    )
  }

  /** Unknown paths get an error in the SCIM format. */
  function missing(): Endpoint[] {
    const tries = [`GET ${at}/:resource`, `POST ${at}/Groups`, `POST ${at}/Bulk`] as const
    return tries.map((route) =>
      endpoint(route, {
        ...common,
        summary: `Refuse an unsupported SCIM resource of ${of}: ${route.slice(at.length + 5)}`,
        params: { ...group, resource: text().optional().describe('Name of the resource') },
        spans: ['resource'],
        returns: noContent,
        run: (ctx) => {
          authenticated(ctx)
          throw fail('not_found', 'This resource is not supported')
        },
      }),
    )
  }
}

export const groupProtocol = protocolEndpoints('/api/scim/v2/groups/:group_path', 'a group', true)

export const instanceProtocol = protocolEndpoints('/api/scim/v2/application', 'the instance', false)
