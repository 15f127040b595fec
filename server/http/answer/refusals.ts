import type { Failure } from '../../lib/fail.ts'
import type { Endpoint } from '../endpoint.ts'
import { statusOf, type ErrorAnswer } from './errors.ts'

/** The body of a refusal in the endpoint's format. */
export function refusalOf(endpoint: Endpoint, answer: ErrorAnswer): unknown {
  if (endpoint.format) return endpoint.format.refusal(answer.status, answer.body)
  return endpoint.errorsAsMessage ? asMessage(answer.body) : answer.body
}

/** Converts `{"error": text}` to `{"message": text}`, the shape of all other errors. */
export function asMessage(body: unknown): unknown {
  const [[key, text], ...rest] = Object.entries(body as object) as [[string, unknown], ...unknown[]]
  return key === 'error' && rest.length === 0 ? { message: text } : body
}

/**
 * True when an endpoint may answer with this error. Every endpoint may answer with 301, 401, 403, 404, parameter errors,
 * the kernel's own refusals and those of the instance's throttle; `fails` must list other statuses.
 */
export function isDeclared(endpoint: Endpoint, error: Failure): boolean {
  const status = statusOf(error.kind)
  return (
    error.kind === 'parameter' ||
    [301, 401, 403, 404, 412, 413, 415, 499, 503, 507].includes(status) ||
    status in endpoint.fails ||
    (status === 429 &&
      (endpoint.limit !== undefined || endpoint.method !== 'GET' || 'RateLimit-Name' in error.headers)) ||
    (status === 405 && (endpoint.returns.list !== undefined || endpoint.scope?.moved !== undefined))
  )
}
