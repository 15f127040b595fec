import type BetterSqlite3 from 'better-sqlite3'
import { constants, copyFileSync } from 'node:fs'

/**
 * Writes the current content of a database into a new file. Copying the database file is fastest, but needs all commits
 * in it. While another thread reads an older state, some commits stay in the write-ahead log.
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
