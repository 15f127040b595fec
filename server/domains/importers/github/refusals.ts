import { HOST_A_NAME } from '../../../lib/aliases.ts'
import { Failure } from '../../../lib/fail.ts'
import * as hosts from '../hosts/request.ts'

/** Returns the answer to a request that failed because of an error of GitHub (spec administration 6.9). */
export function refusalOf(error: unknown, address: string): unknown {
  return hosts.refusalOf(error, address, ({ status, message }) => {
    if (status === 401) return new Failure('unauthorized', undefined, { body: { error: deniedSentence() } })
    const code = status === 0 ? '' : ` (HTTP ${status})`
    return hosts.refuse('unprocessable', `Import failed due to a ${HOST_A_NAME} error: ${message}${code}`)
  })
}

/** The error message for a refused token (spec administration 6.9). */
export function deniedSentence(): string {
  return `Access denied to your ${HOST_A_NAME} account.`
}
