import { beforeAll, describe, expect, it } from 'vitest'

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

  it('has every endpoint of the API, and none of the window', () => {
    const described = operations().map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    )
    const declared = domains
      .flatMap((domain) => domain.endpoints)
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
      const good = statuses.filter((status) => status.startsWith('2'))
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
  const statusesOf = (path: string, method: string) =>
    Object.keys(description.paths[path]?.[method]?.responses ?? {})

  it('are declared where they are possible', () => {
    for (const { path, method, operation } of operations()) {
      const statuses = Object.keys(operation.responses)
      expect(statuses, `${method} ${path}`).toEqual(
        expect.arrayContaining(['401', '403', '404', '429', '503']),
      )
      const takesBody = operation['requestBody'] !== undefined
      expect(statuses.includes('413') || !takesBody, `${method} ${path}`).toBe(true)
    }
    const settings = statusesOf('/application/settings', 'put')
    expect(settings).toEqual(expect.arrayContaining(['408', '413', '415']))
    expect(statusesOf('/version', 'get')).not.toContain('413')
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
