import type { Ctx } from '../../../ctx.ts'
import { endpoint, type Dialect, type Endpoint, type Exchange } from '../../../http/endpoint.ts'
import { param } from '../../../http/param.ts'
import { list, text } from '../../../http/params.ts'
import { created, noContent, ok } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { enter, type Entered } from '../scope.ts'
import * as service from '../service.ts'
import { all, resourceTypes, schemas, serviceProviderConfig } from './discovery.ts'
import { ScimDocument, ScimDocumentList, ScimUser, ScimUserList } from './entity.ts'
import { incomingOf } from './incoming.ts'
import { listUsers } from './list.ts'
import { patchOf } from './patch.ts'
import { viewOf } from './view.ts'

/** Anything that JSON can say; it is read once the token was looked at. */
const anything = (schema: Record<string, unknown>) => param<unknown>(schema, (raw) => raw).optional()

const object = { type: 'object', properties: {} }

const objects = { type: 'array', items: object }

const listParams = {
  filter: text()
    .optional()
    .describe('RFC 7644 filter on id, externalId, userName, displayName, name, emails, active or meta'),
  startIndex: text().optional().describe('Number of the first user, from 1'),
  count: text().optional().describe('How many, at most 100 (default 20)'),
  attributes: list(text()).optional().describe('Only these attributes'),
  excludedAttributes: list(text()).optional().describe('All but these attributes'),
}

const userParams = {
  externalId: anything({ type: 'string' }).describe('What the identity provider calls the user'),
  userName: anything({ type: 'string' }).describe('Becomes the user name, in letters that one can have'),
  name: anything(object).describe('`formatted`, or `givenName` and `familyName`'),
  displayName: anything({ type: 'string' }).describe('The name, where `name` is not given'),
  emails: anything(objects).describe('Addresses; the one of type `work`, or the primary one, counts'),
  active: anything({ type: 'boolean' }).describe('Whether the user may work here'),
}

const patchParams = {
  Operations: anything(objects).describe('`op` (add, replace, remove), `path` and `value`'),
}

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** How RFC 7644 has answers and refusals; a token that does not hold is refused as in the API (spec administration 8.2). */
const scimDialect: Dialect = {
  type: 'application/scim+json',
  refusal: (status, body) =>
    status === 401 ? body : { schemas: [ERROR_SCHEMA], detail: sentenceOf(body), status },
}

function sentenceOf(body: unknown): string {
  const { message, error } = (body ?? {}) as { message?: unknown; error?: unknown }
  const said = message ?? error
  if (typeof said === 'string') return said
  if (typeof said !== 'object' || said === null) return 'The request was refused'
  return Object.entries(said)
    .map(([field, texts]) => `${field.replaceAll('_', ' ')} ${[texts].flat().join(', ')}`)
    .join('; ')
}

type Asked = Ctx & { http: Exchange; params: { group_path?: string } }

const uid = text().describe('What the identity provider calls the user')
const fails = {
  409: 'An id, a user name or an address belongs to somebody else',
  412: 'Something is missing or cannot stand',
}

/** The endpoint for identity providers (RFC 7644), alike for a top-level group and for the instance. */
function protocolEndpoints(at: `/api/scim/v2/${string}`, of: string, inGroup: boolean): Endpoint[] {
  const path = { group_path: text().describe('Path of a top-level group') }
  // Without a group the parameter is not there; the type says what `run` may read.
  const group = (inGroup ? path : {}) as typeof path
  const common = { can: 'anyone', openly: true, speaks: scimDialect } as const
  const inside = (asked: unknown): Entered => {
    const { http, params, ...ctx } = asked as Asked
    return enter(ctx, params.group_path, http.header('authorization'))
  }
  return [
    endpoint(`GET ${at}/ServiceProviderConfig`, {
      ...common,
      summary: `What the SCIM endpoint of ${of} can do`,
      params: group,
      returns: ok(ScimDocument),
      run: (asked) => serviceProviderConfig(inside(asked).scope),
    }),
    ...documents(at, `Schemas`, schemas),
    ...documents(at, `ResourceTypes`, resourceTypes),
    endpoint(`GET ${at}/Users`, {
      ...common,
      summary: `List the users whom the identity provider brought into ${of}`,
      params: { ...group, ...listParams },
      fails,
      returns: ok(ScimUserList),
      run: (asked) => {
        const { ctx, scope: place } = inside(asked)
        return listUsers(ctx, place, asked.params)
      },
    }),
    ...searches(),
    endpoint(`GET ${at}/Users/:id`, {
      ...common,
      summary: `Get a user whom the identity provider brought into ${of}`,
      params: {
        ...group,
        id: uid,
        attributes: listParams.attributes,
        excludedAttributes: listParams.excludedAttributes,
      },
      spans: ['id'],
      returns: ok(ScimUser),
      run: (asked) => {
        const { ctx, scope: place } = inside(asked)
        return viewOf(place, service.findUser(ctx, place, asked.params.id), asked.params)
      },
    }),
    endpoint(`POST ${at}/Users`, {
      ...common,
      summary: `Bring a user into ${of}`,
      params: { ...group, ...userParams },
      fails,
      returns: created(ScimUser),
      run: async (asked) => {
        const { ctx, scope: place } = inside(asked)
        const view = viewOf(place, await service.provision(ctx, place, incomingOf(asked.http.given)))
        asked.http.set('Location', view.location)
        return view
      },
    }),
    endpoint(`PUT ${at}/Users/:id`, {
      ...common,
      summary: `Say anew what a user of ${of} is like`,
      params: { ...group, id: uid, ...userParams },
      spans: ['id'],
      fails,
      returns: ok(ScimUser),
      run: (asked) => {
        const { ctx, scope: place } = inside(asked)
        const given = incomingOf(asked.http.given)
        return viewOf(place, service.changeFrom(ctx, place, asked.params.id, given))
      },
    }),
    endpoint(`PATCH ${at}/Users/:id`, {
      ...common,
      summary: `Change a user of ${of}, switch them off or on`,
      params: { ...group, id: uid, ...patchParams },
      spans: ['id'],
      fails,
      returns: noContent,
      run: (asked) => {
        const { ctx, scope: place } = inside(asked)
        const user = service.findUser(ctx, place, asked.params.id)
        service.changeFrom(ctx, place, user.extern_uid, patchOf(asked.params.Operations, user))
      },
    }),
    endpoint(`DELETE ${at}/Users/:id`, {
      ...common,
      summary: `Take a user out of ${of}`,
      params: { ...group, id: uid },
      spans: ['id'],
      fails,
      returns: noContent,
      run: (asked) => {
        const { ctx, scope: place } = inside(asked)
        service.deprovision(ctx, place, asked.params.id)
      },
    }),
    ...missing(),
  ]

  /** A list of documents, and one of them by its id. */
  function documents(base: string, name: string, documentsOf: typeof schemas): Endpoint[] {
    return [
      endpoint(`GET ${base as '/x'}/${name}`, {
        ...common,
        summary: `The SCIM endpoint of ${of}: ${name}`,
        params: group,
        returns: ok(ScimDocumentList),
        run: (asked) => all(documentsOf(inside(asked).scope)),
      }),
      endpoint(`GET ${base as '/x'}/${name}/:name`, {
        ...common,
        summary: `The SCIM endpoint of ${of}: one of ${name}`,
        params: { ...group, name: text().describe('Its id') },
        returns: ok(ScimDocument),
        run: (asked) => {
          const found = documentsOf(inside(asked).scope).find((one) => one['id'] === asked.params.name)
          if (!found) throw fail('not_found', `Resource ${asked.params.name} not found`)
          return found
        },
      }),
    ]
  }

  /** Queries too long for an address; of all resources, which are the users. */
  function searches(): Endpoint[] {
    return (['/Users', ''] as const).map((below) =>
      endpoint(`POST ${at}${below}/.search`, {
        ...common,
        summary: `Find users whom the identity provider brought into ${of}${below ? '' : ', among all resources'}`,
        params: { ...group, ...listParams },
        fails,
        returns: ok(ScimUserList),
        run: (asked) => {
          const { ctx, scope: place } = inside(asked)
          return listUsers(ctx, place, asked.params)
        },
      }),
    )
  }

  /** Whatever else is asked for: identity providers are told in their own words. */
  function missing(): Endpoint[] {
    const tries = [`GET ${at}/:resource`, `POST ${at}/Groups`, `POST ${at}/Bulk`] as const
    return tries.map((route) =>
      endpoint(route, {
        ...common,
        summary: `Not offered by the SCIM endpoint of ${of}: ${route.slice(at.length + 5)}`,
        params: { ...group, resource: text().optional().describe('Anything but users') },
        spans: ['resource'],
        returns: noContent,
        run: (asked) => {
          inside(asked)
          throw fail('not_found', 'This resource is not supported')
        },
      }),
    )
  }
}

export const groupProtocol = protocolEndpoints('/api/scim/v2/groups/:group_path', 'a group', true)

export const instanceProtocol = protocolEndpoints('/api/scim/v2/application', 'the instance', false)
