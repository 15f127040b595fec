import { GitError } from '../../../git/errors.ts'
import type { MoveRequest } from './request.ts'

/** A move that is impossible; administrators see the message. */
export class Refused extends Error {}

const FULL = new Set(['ENOSPC', 'EDQUOT'])
const CLOSED = new Set(['EACCES', 'EPERM', 'EROFS'])
const MISSING = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'EIO', 'ESTALE'])

/** The reason why a move failed, as a sentence. */
export function reasonOf(error: unknown, { destination }: Pick<MoveRequest, 'destination'>): string {
  if (error instanceof Refused) return error.message
  if (error instanceof GitError) return 'The repository cannot be read completely; it may be damaged.'
  const { code = '', message } = error as NodeJS.ErrnoException
  if (FULL.has(code)) return `There is not enough space in the storage "${destination}".`
  if (CLOSED.has(code)) return `The storage "${destination}" cannot be written.`
  if (MISSING.has(code)) return `The storage "${destination}" cannot be reached.`
  return /^The storage ".*" is not configured any more\.$/.test(message)
    ? message
    : 'The repository could not be moved because of an error in the server.'
}
