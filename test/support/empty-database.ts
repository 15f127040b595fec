import { createHash, randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

import { pino } from 'pino'

import { dataPaths } from '../../server/config.ts'
import { migrations } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import { root } from './server-process.ts'

/**
 * A database with all tables and no rows. Running all migrations takes longer than the rest of an instance's start, so
 * the file is cached until they change.
 */
export function emptyDatabase(): string {
  const digest = createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 16)
  const folder = join(root, 'node_modules/.cache/deskforge')
  const file = join(folder, `empty-${digest}.db`)
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true })
  // Several processes may do this at the same time, so the file gets its name when it is complete.
  const part = `${file}.${randomUUID()}`
  openDatabase({ file: part, backupDir: folder, temporary: true, log: pino({ level: 'silent' }) }).close()
  renameSync(part, file)
  return file
}

/** Copies the empty database into a data folder that has none. */
export function prepareDataDir(dataDir: string): void {
  const { database } = dataPaths(dataDir)
  if (existsSync(database)) return
  mkdirSync(dataDir, { recursive: true })
  copyFileSync(emptyDatabase(), database)
}
