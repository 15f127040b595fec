import type { Dialect } from '../../../http/endpoint.ts'

export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** How RFC 7644 has answers and refusals; a token that does not hold is refused as in the API (spec administration 8.2). */
export const scimDialect: Dialect = {
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
