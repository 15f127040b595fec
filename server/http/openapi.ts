import { z } from 'zod'

import { isOutsideApi, type Endpoint } from './endpoint.ts'
import { entitySchemas } from './entity.ts'
import { isOptional, jsonSchemaOf, type Param, type ParamShape } from './param.ts'
import { validatorOf } from './validate.ts'

type Json = Record<string, unknown>

/** The errors that every endpoint may return. */
const STANDARD_ERRORS: Readonly<Record<number, string>> = {
  400: 'A parameter is missing or invalid.',
  401: 'The request has no credentials, or they are not valid.',
  403: 'The caller may not do this.',
  404: 'The resource does not exist, or the caller may not see it.',
  429: 'Too many requests; the header Retry-After contains the waiting time.',
  431: 'The address or the headers of the request are too long.',
  503: 'The instance or the repository does not accept such requests at the moment.',
  507: 'The disk is full or refuses writes; nothing was changed.',
}

/** The errors for requests with a body. */
const BODY_ERRORS: Readonly<Record<number, string>> = {
  408: 'The body did not arrive in time.',
  413: 'The body or a file in it is too large.',
  415: 'The type of the body is not supported.',
}

/** Removes zod's long patterns and the number bounds that every number has. */
function simplify(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplify)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema)
    .filter(
      ([key, value]) =>
        key !== 'pattern' &&
        key !== '$schema' &&
        key !== '$id' &&
        !(typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER),
    )
    .map(([key, value]) => [key, simplify(value)])
  return Object.fromEntries(entries)
}

/** JSON schemas of all entities, by name. */
export function entityComponents(): Json {
  const { schemas } = z.toJSONSchema(entitySchemas, {
    target: 'draft-2020-12',
    uri: (id) => `#/components/schemas/${id}`,
  })
  return simplify(Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))) as Json
}

/** Converts a path to a part of an operation id. `/-/` becomes `/own/`, so `/search` and `/-/search` differ. */
function operationName(path: string): string {
  return path.replace(/\/-(?=\/)/g, '/own').replace(/[^a-zA-Z0-9]+/g, '_')
}

/** The body of a 202 of a `returns: accepted`. */
const MESSAGE: Json = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] }

/** The JSON schema of an endpoint's answer; undefined for empty and raw answers. */
export function answerSchema(endpoint: Endpoint): Json | undefined {
  const view = endpoint.returns.entity
  if (!view) return undefined
  const names = view.name.split('|')
  const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const schema = refs.length === 1 ? refs[0]! : { oneOf: refs }
  return endpoint.returns.kind === 'page' ? { type: 'array', items: schema } : schema
}

function parameter(name: string, type: Param<unknown>, location: 'path' | 'query'): Json {
  const { description, ...schema } = jsonSchemaOf(type)
  const required = location === 'path' || !isOptional(type)
  const isList = schema['type'] === 'array'
  return {
    name: isList && location === 'query' ? `${name}[]` : name,
    in: location,
    required,
    ...(description ? { description } : {}),
    schema,
  }
}

function operation(endpoint: Endpoint): Json {
  const { shape } = validatorOf(endpoint)
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1]!)
  const rest = Object.keys(shape).filter((name) => !inPath.includes(name))
  const hasBody = endpoint.method !== 'GET' && endpoint.method !== 'DELETE' && rest.length > 0
  const pathParameters = inPath.map((name) =>
    shape[name]
      ? parameter(name, shape[name], 'path')
      : {
          name,
          in: 'path',
          required: true,
          schema: { type: 'string' },
          description: `Id or URL-encoded full path of the ${endpoint.scope?.name}`,
        },
  )
  const queryParameters = hasBody ? [] : rest.map((name) => parameter(name, shape[name]!, 'query'))
  const ability = typeof endpoint.can === 'string' ? endpoint.can : endpoint.can.name
  return {
    operationId: `${endpoint.method.toLowerCase()}${operationName(endpoint.path)}`,
    summary: endpoint.summary,
    tags: [
      endpoint.path
        .split('/')
        .filter((part) => part !== '' && part !== '-' && !part.startsWith(':'))
        .at(0) ?? 'instance',
    ],
    'x-ability': ability,
    ...(ability === 'anyone' ? { security: [{}, { private_token: [] }] } : {}),
    parameters: [...pathParameters, ...queryParameters],
    ...(hasBody ? { requestBody: requestBody(shape, rest) } : {}),
    responses: responses(endpoint, hasBody || endpoint.takesBytes),
  }
}

function requestBody(shape: ParamShape, names: readonly string[]): Json {
  const required = names.filter((name) => !isOptional(shape[name]!))
  const properties = Object.fromEntries(names.map((name) => [name, jsonSchemaOf(shape[name]!)]))
  const schema = { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
  const hasFile = JSON.stringify(properties).includes('"binary"')
  const type = hasFile ? 'multipart/form-data' : 'application/json'
  return { required: required.length > 0, content: { [type]: { schema } } }
}

/** The JSON schema of an endpoint's success; undefined for empty and raw answers. */
function successSchema(endpoint: Endpoint): Json | undefined {
  if (endpoint.returns.kind === 'message') return MESSAGE
  const schema = answerSchema(endpoint)
  const mayBeNull =
    endpoint.returns.kind === 'entity' && endpoint.returns.entity?.schema.safeParse(null).success
  return schema && mayBeNull ? { anyOf: [schema, { type: 'null' }] } : schema
}

function responses(endpoint: Endpoint, hasBody: boolean): Json {
  const schema = successSchema(endpoint)
  const success = schema
    ? { description: 'Done', content: { [endpoint.format?.type ?? 'application/json']: { schema } } }
    : endpoint.returns.kind === 'raw'
      ? { description: 'Done', content: { '*/*': { schema: {} } } }
      : { description: 'Done' }
  const paging =
    endpoint.returns.list?.type === undefined ? {} : { 405: 'The page number is too high for offset paging.' }
  const unchanged = endpoint.method === 'GET' ? { 304: 'Not modified since the request before.' } : {}
  const errors = {
    ...unchanged,
    ...STANDARD_ERRORS,
    ...(hasBody ? BODY_ERRORS : {}),
    ...paging,
    ...endpoint.fails,
  }
  const errorResponses = Object.entries(errors).map(([status, description]) => [status, { description }])
  const alternatives = Object.entries(endpoint.otherStatuses).map(([status, description]) => [
    status,
    status === '204' ? { description } : { ...success, description },
  ])
  return {
    [String(endpoint.returns.status)]: success,
    ...Object.fromEntries(alternatives),
    ...Object.fromEntries(errorResponses),
  }
}

/** The OpenAPI 3.1 description of all endpoints below `/api/v4`. */
export function openApi(endpoints: readonly Endpoint[], instance: { url: string; version: string }): Json {
  const paths: Record<string, Json> = {}
  const published = endpoints.filter((endpoint) => !isOutsideApi(endpoint.path))
  for (const endpoint of [...published].sort((a, b) =>
    a.path === b.path ? (a.method < b.method ? -1 : 1) : a.path < b.path ? -1 : 1,
  )) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Deskforge API',
      version: instance.version,
      description: 'The GitLab REST API v4 of this instance.',
    },
    servers: [{ url: `${instance.url}/api/v4` }],
    security: [{ private_token: [] }, { bearer: [] }],
    paths,
    components: {
      schemas: entityComponents(),
      securitySchemes: {
        private_token: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}
