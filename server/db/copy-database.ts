import type BetterSqlite3 from 'better-sqlite3'
import { constants, copyFileSync } from 'node:fs'

/**
 * Writes a database, as of now, into a new file. A plain copy is the fastest; it is whole unless another thread reads an
 * earlier moment, which keeps commits in the log.
 */
export function copyDatabase(sqlite: BetterSqlite3.Database, file: string): void {
  const [state] = sqlite.pragma('wal_checkpoint(PASSIVE)') as {
    busy: number
    log: number
    checkpointed: number
  }[]
  if (state?.busy === 0 && state.log === state.checkpointed)
    copyFileSync(sqlite.name, file, constants.COPYFILE_FICLONE)
  else sqlite.prepare('VACUUM INTO ?').run(file)
}
