import type BetterSqlite3 from 'better-sqlite3'
import { constants, copyFileSync } from 'node:fs'

/**
 * Writes the current content of a database into a new file. Copying the file is the fastest. The file is complete
 * unless another thread still reads an older state, because then commits remain in the write-ahead log.
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
