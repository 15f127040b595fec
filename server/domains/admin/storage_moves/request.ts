import { z } from 'zod'

import type { Database } from '../../../db/database.ts'
import { GitError } from '../../../git/errors.ts'
import { errorCode } from '../../../lib/files/error-code.ts'
import { KINDS, type Kind, TABLES } from './store.ts'

/** Thrown if a move is impossible. Administrators see the message. */
export class Refused extends Error {}

const FULL_CODES = new Set(['ENOSPC', 'EDQUOT'])
const READ_ONLY_CODES = new Set(['EACCES', 'EPERM', 'EROFS'])
const MISSING_CODES = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'EIO', 'ESTALE'])

/** Returns a sentence with the reason why a move failed. */
export function reasonOf(error: unknown, { destination }: Pick<MoveRequest, 'destination'>): string {
  if (error instanceof Refused) return error.message
  if (error instanceof GitError) return 'The repository cannot be read completely; it may be damaged.'
  const code = errorCode(error)
  const { message } = error as Error
  if (FULL_CODES.has(code)) return `There is not enough space in the storage "${destination}".`
  if (READ_ONLY_CODES.has(code)) return `The storage "${destination}" cannot be written.`
  if (MISSING_CODES.has(code)) return `The storage "${destination}" cannot be reached.`
  return /^The storage ".*" is not configured any more\.$/.test(message)
    ? message
    : 'The repository could not be moved because of an error in the server.'
}

/** A requested move. It contains the location of the repository for the cleanup after a deletion of the container. */
export const requestShape = {
  storage_move_id: z.number(),
  kind: z.enum(KINDS),
  container_id: z.number(),
  disk_path: z.string(),
  source: z.string(),
  destination: z.string(),
  key: z.string(),
  /** The time when the move was scheduled; for the removal of the old copy, the time when the repository was moved. */
  since: z.string(),
}

export type MoveRequest = z.output<z.ZodObject<typeof requestShape>>

/** Makes a repository read-only, or writable again. */
export function setReadOnly(db: Database, kind: Kind, id: number, isReadOnly: boolean): void {
  const { table, id: key } = TABLES[kind]
  db.exec(`UPDATE ${table} SET repository_read_only = ? WHERE ${key} = ?`, Number(isReadOnly), id)
}
