import { Failure } from '../../../lib/fail.ts'
import { isForbidden } from '../../import_export/index.ts'
import { HostProblem, HostWaits } from '../github/client/problems.ts'
import { invalidUrl, refuse } from '../github/refusals.ts'

/** What is said where the other host does not take user name and token. */
export const DENIED = 'The other host does not accept the user name and the token.'

/** What a caller is told of a problem with the other host (spec administration 6.10); anything else stays as it is. */
export function refusalOf(error: unknown, address: string): unknown {
  if (isForbidden(error)) return invalidUrl(address)
  if (error instanceof HostWaits)
    return new Failure('too_many', undefined, { body: { error: 'Too Many Requests' } })
  if (!(error instanceof HostProblem)) return error
  if (error.status === 401) return refuse('unprocessable', DENIED)
  if (error.isPassing) return refuse('unavailable', `Import failed: ${error.message}`)
  return refuse('unprocessable', `Import failed (HTTP ${error.status}): ${error.message}`)
}
