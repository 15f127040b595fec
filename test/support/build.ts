import Database from 'better-sqlite3'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { builtDatabase, cli } from './server-process.ts'

/** Vitest global setup: tests of whole processes run the build, so it must be current. */
export function setup(): void {
  const script = fileURLToPath(new URL('../../scripts/ensure-build.mjs', import.meta.url))
  execFileSync(process.execPath, [script], { stdio: 'inherit' })
  makeDatabase(builtDatabase())
}

/** Several runs may do this at the same time, so the file gets its name when it is complete. */
function makeDatabase(file: string): void {
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  const dataDir = mkdtempSync(`${file}.`)
  try {
    execFileSync(process.execPath, [cli, 'migrate', '--data-dir', dataDir])
    const made = join(dataDir, 'deskforge.db')
    const database = new Database(made)
    // Each data folder is an instance of its own.
    database.exec('DELETE FROM instance_identity')
    database.close()
    renameSync(made, file)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The global setup for Playwright, which calls the module's default export. */
export default setup
