import type { Ctx } from '../../../../ctx.ts'
import { endpoint, type AnswerFormat, type Endpoint, type Exchange } from '../../../../http/endpoint.ts'
import { param } from '../../../../http/param.ts'
import { list, text } from '../../../../http/params.ts'
import { created, noContent, ok } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import { authenticateProvider, type ScimAccess } from '../service-scope.ts'
import * as service from '../service.ts'
import { singlePage, resourceTypes, schemas, serviceProviderConfig } from './discovery.ts'
import { ScimDocument, ScimDocumentList, ScimUser, ScimUserList } from './entity.ts'
import { parseUser } from './incoming.ts'
import { listUsers, viewOf } from './list.ts'
import { parsePatch } from './patch.ts'

/**
 * A parameter of any JSON type. It is parsed after the token was checked, so that only identity providers get errors
 * about it.
 */
const anyJson = (schema: Record<string, unknown>) => param<unknown>(schema, (raw) => raw).optional()

const object = { type: 'object', properties: {} }

const objects = { type: 'array', items: object }

const listParams = {
  filter: text()
    .optional()
    .describe('RFC 7644 filter on id, externalId, userName, displayName, name, emails, active or meta'),
  startIndex: text().optional().describe('The 1-based index of the first user'),
  count: text().optional().describe('The number of users, at most 100. Defaults to 20'),
  attributes: list(text()).optional().describe('Limit to these attributes'),
  excludedAttributes: list(text()).optional().describe('Exclude these attributes'),
}

const userParams = {
  externalId: anyJson({ type: 'string' }).describe('External UID of the user'),
  userName: anyJson({ type: 'string' }).describe('User name. Invalid characters are removed'),
  name: anyJson(object).describe('`formatted`, or `givenName` and `familyName`'),
  displayName: anyJson({ type: 'string' }).describe('The name of the user, if `name` is absent'),
  emails: anyJson(objects).describe(
    'Email addresses. The address of type `work` is used, else the primary one',
  ),
  active: anyJson({ type: 'boolean' }).describe('Whether the user is active'),
}

const patchParams = {
  Operations: anyJson(objects).describe('`op` (add, replace, remove), `path` and `value`'),
}

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

/**
 * The format of responses and errors in RFC 7644. The error for an invalid token has the format of the API (spec
 * administration 8.2).
 */
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
  409: 'The external UID, user name or email address is taken',
  412: 'A field is missing or invalid',
}

/** Returns the endpoints for identity providers (RFC 7644), for a top-level group or for the instance. */
function protocolEndpoints(base: `/api/scim/v2/${string}`, owner: string, inGroup: boolean): Endpoint[] {
  const path = { group_path: text().describe('Path of a top-level group') }
  // Without a group the parameter does not exist. The type is the same, so that `run` can read it.
  const group = (inGroup ? path : {}) as typeof path
  const common = { can: 'anyone', ignoresCredentials: true, format: scimDialect } as const
  const authenticated = (context: unknown): ScimAccess => {
    const { http, params, ...ctx } = context as ScimContext
    return authenticateProvider(ctx, params.group_path, http.header('authorization'))
  }
  return [
    endpoint(`GET ${base}/ServiceProviderConfig`, {
      ...common,
      summary: `Get the SCIM features of ${owner}`,
      params: group,
      returns: ok(ScimDocument),
      run: (ctx) => serviceProviderConfig(authenticated(ctx).scope),
    }),
    ...documents('Schemas', schemas),
    ...documents('ResourceTypes', resourceTypes),
    endpoint(`GET ${base}/Users`, {
      ...common,
      summary: `List the SCIM users of ${owner}`,
      params: { ...group, ...listParams },
      fails,
      returns: ok(ScimUserList),
      run: (context) => {
        const { ctx, scope } = authenticated(context)
        return listUsers(ctx, scope, context.params)
      },
    }),
    ...searches(),
    endpoint(`GET ${base}/Users/:id`, {
      ...common,
      summary: `Get a SCIM user of ${owner}`,
      params: {
        ...group,
        id: uid,
        attributes: listParams.attributes,
        excludedAttributes: listParams.excludedAttributes,
      },
      slashParams: ['id'],
      returns: ok(ScimUser),
      run: (context) => {
        const { ctx, scope } = authenticated(context)
        return viewOf(scope, service.findUser(ctx, scope, context.params.id), context.params)
      },
    }),
    endpoint(`POST ${base}/Users`, {
      ...common,
      summary: `Create a SCIM user of ${owner}`,
      params: { ...group, ...userParams },
      fails,
      returns: created(ScimUser),
      run: async (context) => {
        const { ctx, scope } = authenticated(context)
        const view = viewOf(scope, await service.provision(ctx, scope, parseUser(context.http.rawParams)))
        context.http.set('Location', view.location)
        return view
      },
    }),
    endpoint(`PUT ${base}/Users/:id`, {
      ...common,
      summary: `Replace a SCIM user of ${owner}`,
      params: { ...group, id: uid, ...userParams },
      slashParams: ['id'],
      fails,
      returns: ok(ScimUser),
      run: (context) => {
        const { ctx, scope } = authenticated(context)
        const incoming = parseUser(context.http.rawParams)
        return viewOf(scope, service.updateFromProvider(ctx, scope, context.params.id, incoming))
      },
    }),
    endpoint(`PATCH ${base}/Users/:id`, {
      ...common,
      summary: `Update a SCIM user of ${owner}`,
      params: { ...group, id: uid, ...patchParams },
      slashParams: ['id'],
      fails,
      returns: noContent,
      run: (context) => {
        const { ctx, scope } = authenticated(context)
        const user = service.findUser(ctx, scope, context.params.id)
        service.updateFromProvider(ctx, scope, user.extern_uid, parsePatch(context.params.Operations, user))
      },
    }),
    endpoint(`DELETE ${base}/Users/:id`, {
      ...common,
      summary: `Remove a SCIM user from ${owner}`,
      params: { ...group, id: uid },
      slashParams: ['id'],
      fails,
      returns: noContent,
      run: (context) => {
        const { ctx, scope } = authenticated(context)
        service.deprovision(ctx, scope, context.params.id)
      },
    }),
    ...unsupportedResources(),
  ]

  /** Returns the endpoints of one kind of documents: the list, and a document by its id. */
  function documents(name: string, documentsOf: typeof schemas): Endpoint[] {
    return [
      endpoint(`GET ${base}/${name}`, {
        ...common,
        summary: `List the SCIM ${name} of ${owner}`,
        params: group,
        returns: ok(ScimDocumentList),
        run: (ctx) => singlePage(documentsOf(authenticated(ctx).scope)),
      }),
      endpoint(`GET ${base}/${name}/:name`, {
        ...common,
        summary: `Get one of the SCIM ${name} of ${owner}`,
        params: { ...group, name: text().describe('The ID of the document') },
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

  /** Returns the search endpoints, for queries that are too long for a URL. All resources are users. */
  function searches(): Endpoint[] {
    return (['/Users', ''] as const).map((suffix) =>
      endpoint(`POST ${base}${suffix}/.search`, {
        ...common,
        summary: `Search the SCIM ${suffix ? 'users' : 'resources'} of ${owner}`,
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

  /** Returns endpoints that answer requests for unsupported resources with an error in the SCIM format. */
  function unsupportedResources(): Endpoint[] {
    const paths = [`GET ${base}/:resource`, `POST ${base}/Groups`, `POST ${base}/Bulk`] as const
    return paths.map((route) =>
      endpoint(route, {
        ...common,
        summary: `Refuse an unsupported SCIM resource of ${owner}: ${route.slice(base.length + 5)}`,
        params: { ...group, resource: text().optional().describe('Name of the resource') },
        slashParams: ['resource'],
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
