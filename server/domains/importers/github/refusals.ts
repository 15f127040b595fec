import { HOST_A_NAME } from '../../../lib/aliases.ts'
import { Failure, type FailureKind } from '../../../lib/fail.ts'
import { isForbidden } from '../../import_export/index.ts'
import { HostProblem, HostWaits } from '../hosts/answers.ts'

/** A refusal in the shape of these importers: `{"errors": "…"}`. */
export function refuse(kind: FailureKind, sentence: string): Failure {
  return new Failure(kind, undefined, { body: { errors: sentence } })
}

/** The refusal of an address. */
export function invalidUrl(address: string): Failure {
  return refuse('bad_request', `Invalid URL: ${address}`)
}

/** The failure that a caller gets for a problem with the other host (spec administration 6.9); anything else stays as it is. */
export function refusalOf(error: unknown, address: string): unknown {
  if (isForbidden(error)) return invalidUrl(address)
  if (error instanceof HostWaits)
    return new Failure('too_many', undefined, { body: { error: 'Too Many Requests' } })
  if (!(error instanceof HostProblem)) return error
  if (error.status === 401)
    return new Failure('unauthorized', undefined, { body: { error: deniedSentence() } })
  const code = error.status === 0 ? '' : ` (HTTP ${error.status})`
  return refuse('unprocessable', `Import failed due to a ${HOST_A_NAME} error: ${error.message}${code}`)
}

/** What is said where the other host does not take a token (spec administration 6.9). */
export function deniedSentence(): string {
  return `Access denied to your ${HOST_A_NAME} account.`
}
