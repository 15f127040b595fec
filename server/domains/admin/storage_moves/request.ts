import { z } from 'zod'

import type { Database } from '../../../db/database.ts'
import { GitError } from '../../../git/errors.ts'
import { KINDS, type Kind, TABLES } from './store.ts'

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

/** A requested move, with all that its cleanup needs when the container is deleted. */
export const requestShape = {
  storage_move_id: z.number(),
  kind: z.enum(KINDS),
  container_id: z.number(),
  disk_path: z.string(),
  source: z.string(),
  destination: z.string(),
  key: z.string(),
  /** When the move was scheduled; for a cleanup, when the repository had moved. */
  since: z.string(),
}

export type MoveRequest = z.output<z.ZodObject<typeof requestShape>>

/** Makes a repository read-only, or writable again. */
export function setReadOnly(db: Database, kind: Kind, id: number, isReadOnly: boolean): void {
  const { table, id: key } = TABLES[kind]
  db.exec(`UPDATE ${table} SET repository_read_only = ? WHERE ${key} = ?`, Number(isReadOnly), id)
}
