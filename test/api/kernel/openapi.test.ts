import { beforeAll, describe, expect, it } from 'vitest'

import { endpointsOf } from '../../../server/domain.ts'
import { domains } from '../../../server/domains.ts'
import { isOutsideApi } from '../../../server/http/endpoint.ts'
import { world, type World } from '../../support/world.ts'

interface Json {
  [key: string]: unknown
}
interface Parameter {
  name: string
  in: string
  required: boolean
  schema: Json
}
interface Operation extends Json {
  operationId: string
  summary: string
  parameters: Parameter[]
  responses: Record<string, Json>
}

let w: World
let description: Json & { paths: Record<string, Record<string, Operation>>; components: { schemas: Json } }
beforeAll(async () => {
  w = await world()
  description = (await w.as(null).get('/openapi.json')).body
})

/** Calls `visit` for every object in the description, with its location. */
function walk(value: unknown, visit: (value: Json, where: string) => void, where = '#'): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Json, where)
  for (const [key, child] of Object.entries(value)) walk(child, visit, `${where}/${key}`)
}

const operations = () =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, value]) => ({ path, method, operation: value })),
  )

const TYPES = new Set(['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'])

/** The faults that a validator of JSON schemas reports. */
function flaws(schema: Json, where: string): string[] {
  const names = [schema['type'] ?? []].flat() as string[]
  const required = schema['required']
  const properties = Object.keys((schema['properties'] ?? {}) as Json)
  const words = schema['enum']
  return [
    ...names.filter((name) => !TYPES.has(name)).map((name) => `${where}: type ${name}`),
    ...(names.includes('array') && typeof schema['items'] !== 'object' ? [`${where}: array of what`] : []),
    ...(Array.isArray(required) ? required : [])
      .filter((name) => !properties.includes(name as string))
      .map((name) => `${where}: requires ${String(name)}`),
    ...(words !== undefined &&
    (!Array.isArray(words) || words.length === 0 || new Set(words).size !== words.length)
      ? [`${where}: values`]
      : []),
  ]
}

describe('the description of the API', () => {
  it('is valid OpenAPI 3.1', () => {
    expect(Object.keys(description)).toEqual(
      expect.arrayContaining(['openapi', 'info', 'servers', 'paths', 'components']),
    )
    expect(description['openapi']).toBe('3.1.0')
    expect(description['servers']).toEqual([{ url: `${w.url}/api/v4` }])
  })

  it('has every endpoint of the API, and none of the window', async () => {
    const described = operations().map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    )
    const declared = (await endpointsOf(domains))
      .filter((endpoint) => !isOutsideApi(endpoint.path))
      .map((endpoint) => endpoint.route)
    expect(described.toSorted()).toEqual(declared.toSorted())
  })

  it('has no two paths with the same shape', () => {
    const shapes = Object.groupBy(Object.keys(description.paths), (path) => path.replace(/\{\w+\}/g, '{}'))
    expect(Object.values(shapes).filter((paths) => paths!.length > 1)).toEqual([])
  })

  it('has each parameter of a path exactly once', () => {
    for (const { path, method, operation } of operations()) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
      const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect([method, path, inPath.map((parameter) => parameter.name)]).toEqual([method, path, parts])
      expect(inPath.filter((parameter) => !parameter.required)).toEqual([])
      const names = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
      expect([path, names.length]).toEqual([path, new Set(names).size])
    }
  })

  it('declares no body for requests without one', () => {
    const reading = operations().filter(({ method }) => method === 'get' || method === 'delete')
    expect(
      reading.filter(({ operation }) => operation['requestBody'] !== undefined).map(({ path }) => path),
    ).toEqual([])
  })

  it('has an id, a summary and a success response for every operation', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, operation } of operations()) {
      expect([path, operation.summary]).toEqual([path, expect.stringMatching(/^[A-Z].*[^.]$/)])
      const statuses = Object.keys(operation.responses)
      expect(statuses.filter((status) => !/^[1-5]\d\d$/.test(status))).toEqual([])
      const good = statuses.filter((status) => /^(2\d\d|302)$/.test(status))
      expect(good.slice(0, -1).every((status) => ['200', '201', '202'].includes(status))).toBe(true)
      expect(good.length).toBeGreaterThan(0)
      for (const response of Object.values(operation.responses))
        expect(response['description']).toBeTypeOf('string')
    }
  })

  it('has no dangling references', () => {
    const refs = new Set<string>()
    walk(description, (schema) => {
      if (typeof schema['$ref'] === 'string') refs.add(schema['$ref'])
    })
    expect(refs.size).toBeGreaterThan(5)
    const known = new Set(
      Object.keys(description.components.schemas).map((name) => `#/components/schemas/${name}`),
    )
    expect([...refs].filter((ref) => !known.has(ref))).toEqual([])
  })

  it('has schemas that a validator accepts', () => {
    const found: string[] = []
    walk(description, (schema, where) => {
      const isSchema = /(\/schema|\/items|\/schemas\/\w+|\/properties\/[^/]+|\/(anyOf|oneOf)\/\d+)$/.test(
        where,
      )
      if (isSchema && !where.endsWith('/properties/properties')) found.push(...flaws(schema, where))
    })
    expect(found).toEqual([])
  })
})

describe('error responses and other responses', () => {
  const schemaOf = (path: string, method: string) =>
    (description.paths[path]![method]!.responses['200']!['content'] as Record<string, { schema: Json }>)[
      'application/json'
    ]!.schema
  const statusesOf = (path: string, method: string) =>
    Object.keys(description.paths[path]?.[method]?.responses ?? {})

  it('are declared where they are possible', () => {
    for (const { path, method, operation } of operations()) {
      const statuses = Object.keys(operation.responses)
      expect(statuses, `${method} ${path}`).toEqual(
        expect.arrayContaining(['401', '403', '404', '429', '431', '503']),
      )
      const takesBody = operation['requestBody'] !== undefined
      expect(statuses.includes('413') || !takesBody, `${method} ${path}`).toBe(true)
    }
    const settings = statusesOf('/application/settings', 'put')
    expect(settings).toEqual(expect.arrayContaining(['408', '413', '415']))
    expect(statusesOf('/version', 'get')).not.toContain('413')
  })

  it('are declared if the answer is not JSON, as schemathesis expects', async () => {
    const successes = (path: string, method: string) =>
      statusesOf(path, method).filter((status) => /^(2\d\d|302)$/.test(status))
    expect(successes('/projects/{id}/releases/{tag_name}/evidence', 'post')).toEqual(['202'])
    expect(successes('/projects/{id}/releases/permalink/latest', 'get')).toEqual(['302'])
    expect(successes('/projects/{id}/jobs/{job_id}/trace', 'get')).toEqual(['200', '206'])
    expect(successes('/jobs/request', 'post')).toEqual(['201', '204'])
    expect(statusesOf('/jobs/{id}/trace', 'patch')).toEqual(expect.arrayContaining(['202', '416']))
    expect(statusesOf('/version', 'get')).toContain('304')
    const { id } = await w.make.project({ with: 'readme' })
    const at = `/projects/${id}/releases`
    expect((await w.as(w.root).post(at, { tag_name: 'v1', ref: 'main' })).status).toBe(201)
    expect((await w.as(w.root).post(`${at}/v1/evidence`)).status).toBe(202)
  })

  it('may be null where there is nothing yet', () => {
    const { anyOf } = schemaOf('/projects/{id}/push_rule', 'get')
    expect(anyOf).toEqual([{ $ref: '#/components/schemas/ProjectPushRule' }, { type: 'null' }])
    expect(schemaOf('/groups/{id}/push_rule', 'get')).toEqual({ $ref: '#/components/schemas/PushRule' })
  })

  it('describe the message of an accepted request', async () => {
    const schema = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] }
    expect(description.paths['/groups/{id}']?.['delete']?.responses['202']).toEqual({
      description: 'Done',
      content: { 'application/json': { schema } },
    })
    const removed = await w.as(w.root).delete(`/groups/${(await w.make.group()).id}`)
    expect([removed.status, removed.body]).toEqual([202, { message: '202 Accepted' }])
  })

  it('are declared if their status is unusual', () => {
    expect(statusesOf('/projects/{id}/issues/{issue_iid}/notes', 'post')).toEqual(
      expect.arrayContaining(['201', '202']),
    )
    expect(statusesOf('/projects/{id}/repository/commits/{sha}/cherry_pick', 'post')).toEqual(
      expect.arrayContaining(['200', '201']),
    )
  })
})
