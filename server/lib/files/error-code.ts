import { constants } from 'node:os'

/**
 * The code of an error from the system, such as ENOSPC; empty for other errors. Node does not know the
 * code of a used up quota: it says UNKNOWN, or "Unknown system error" with its number.
 */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { code, errno } = error as { code?: unknown; errno?: unknown }
  if (errno === -constants.errno.EDQUOT) return 'EDQUOT'
  return typeof code === 'string' ? code : ''
}
