import { isOptional, jsonSchemaOf } from '../../server/http/param.ts'
import { isOutsideApi, type Endpoint } from '../../server/http/endpoint.ts'

type Json = Record<string, unknown>

/** No record has this id, so deletions find nothing. */
export const NOBODY = 999_999

/** A value that a parameter of this schema accepts. */
export function sample(schema: Json): unknown {
  const words = schema['enum'] as unknown[] | undefined
  if (words) return words[0]
  switch ([schema['type']].flat()[0]) {
    case 'integer':
    case 'number':
      return Math.min((schema['maximum'] as number | undefined) ?? NOBODY, NOBODY)
    case 'boolean':
      return true
    case 'array':
      return [sample(schema['items'] as Json)]
    case 'object': {
      const properties = (schema['properties'] ?? {}) as Record<string, Json>
      const required = (schema['required'] ?? []) as string[]
      return Object.fromEntries(required.map((name) => [name, sample(properties[name]!)]))
    }
    default:
      if (schema['format'] === 'date') return '2030-01-01'
      if (schema['format'] === 'binary') return new File(['sample'], 'sample.txt')
      return schema['format'] === 'date-time' ? '2030-01-01T00:00:00.000Z' : 'sample'
  }
}

/** Names of the parameters in the path of an endpoint. */
export function pathNames(endpoint: Endpoint): string[] {
  return [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1]!)
}

/**
 * The minimal parameters that an endpoint accepts, without its path: required ones, and one of each group that requires
 * one.
 */
export function leastParams(endpoint: Endpoint): Json {
  const inPath = new Set(pathNames(endpoint))
  const required = Object.keys(endpoint.params).filter((name) => !isOptional(endpoint.params[name]!))
  const chosen = endpoint.parameterRules
    .filter((rule) => /^(at_least|exactly)_one$/.test(rule.rule))
    .map((rule) => rule.names[0]!)
  const names = [...new Set([...required, ...chosen])].filter((name) => !inPath.has(name))
  return Object.fromEntries(names.map((name) => [name, sample(jsonSchemaOf(endpoint.params[name]!))]))
}

/** The address of an endpoint with the given owner; other parts of the path name missing records. */
export function addressOf(
  endpoint: Endpoint,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
    const type = endpoint.params[name]
    return encodeURIComponent(String(values[name] ?? (type ? sample(jsonSchemaOf(type)) : NOBODY)))
  })
  return isOutsideApi(endpoint.path) ? path : `/api/v4${path}`
}

/** Sends a request with the parameters as a query, as JSON, or as a form if there is a file. */
export async function ask(
  url: string,
  endpoint: Endpoint,
  request: { address: string; params: Json; headers?: Record<string, string> },
): Promise<{ status: number; text: string; headers: Headers }> {
  const isQuery = endpoint.method === 'GET' || endpoint.method === 'DELETE'
  const query = isQuery ? `?${flat(request.params)}` : ''
  const form = isQuery ? undefined : formOf(request.params)
  const response = await fetch(`${url}${request.address}${query}`, {
    method: endpoint.method,
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
    headers: { ...(isQuery || form ? {} : { 'content-type': 'application/json' }), ...request.headers },
    ...(isQuery ? {} : { body: form ?? JSON.stringify(request.params) }),
  })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

/** The multipart body that parameters with a file need; undefined without one. */
function formOf(params: Json): FormData | undefined {
  const entries = Object.entries(params)
  if (!entries.some(([, value]) => value instanceof File)) return undefined
  const form = new FormData()
  for (const [name, value] of entries) form.append(name, value instanceof File ? value : String(value))
  return form
}

/** Converts nested parameters to the fields of a form. */
export function flat(value: unknown, name = ''): string {
  if (Array.isArray(value)) return value.map((item) => flat(item, `${name}[]`)).join('&')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, value]) => flat(value, name === '' ? key : `${name}[${key}]`))
      .join('&')
  return `${encodeURIComponent(name)}=${encodeURIComponent(String(value ?? '').toWellFormed())}`
}
