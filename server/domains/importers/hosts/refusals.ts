import { Failure, type FailureKind } from '../../../lib/fail.ts'
import { isForbidden } from '../../import_export/index.ts'
import { HostProblem, HostWaits } from './answers.ts'

/** An error in the format of the host importers: `{"errors": "…"}`. */
export function refuse(kind: FailureKind, sentence: string): Failure {
  return new Failure(kind, undefined, { body: { errors: sentence } })
}

/** The error for an invalid or forbidden address. */
export function invalidUrl(address: string): Failure {
  return refuse('bad_request', `Invalid URL: ${address}`)
}

/**
 * The answer to a request that failed because of an error of the host (spec administration 6.9, 6.10). `byHost` creates the
 * host's specific errors; other errors are unchanged.
 */
export function refusalOf(error: unknown, address: string, byHost: (error: HostProblem) => Failure): unknown {
  if (isForbidden(error)) return invalidUrl(address)
  if (error instanceof HostWaits)
    return new Failure('too_many', undefined, { body: { error: 'Too Many Requests' } })
  return error instanceof HostProblem ? byHost(error) : error
}
