import BetterSqlite3 from 'better-sqlite3'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

import { StartupError } from '../lib/fail.ts'

/** A data folder in use by this process. */
export interface DataDirLock {
  /** Writes down the address, for the sentence that another one is refused with. */
  isAt(url: string): void
  release(): void
}

/**
 * The file that is locked. Nothing but SQLite may open it in this process: closing any other descriptor of it would give the
 * lock away (POSIX). It is empty, and stays: removing it would let two have a lock each, on two files of one name.
 */
export const LOCK_FILE = 'instance.lock'
/** Who has the lock, for people. Nobody decides anything by it. */
export const OWNER_FILE = 'instance.json'
/** What earlier releases trusted. */
const FORMER = 'deskforge.lock'
/** The kernel frees the lock of a killed process with the last of its descriptors, which may take a moment. */
const PATIENCE_MS = 1500

interface Owner {
  readonly pid: number
  readonly host: string
  readonly url?: string
}

/**
 * Takes the data folder for this process, waiting a moment where somebody has it. The kernel keeps the lock, so it ends with the process whatever ends that, and holds
 * between containers, where process ids say nothing. Taking it writes nothing, so that a full disk is no obstacle. Throws
 * `StartupError` when another instance has it.
 */
export function lockDataDir(dataDir: string, patienceMs = PATIENCE_MS): DataDirLock {
  const file = join(dataDir, OWNER_FILE)
  const sqlite = take(dataDir, patienceMs)
  const owner = { pid: process.pid, host: hostname() }
  rmSync(join(dataDir, FORMER), { force: true })
  write(file, owner)
  return {
    isAt: (url) => write(file, { ...owner, url }),
    release: () => {
      if (!sqlite.open) return
      rmSync(file, { force: true })
      sqlite.close()
    },
  }
}

/** Who has the data folder: a sentence; undefined where nobody has it. Takes the lock for a moment. Throws `StartupError`. */
export function userOf(dataDir: string): string | undefined {
  try {
    take(dataDir, 0).close()
    return undefined
  } catch (error) {
    if (error instanceof InUse) return error.message
    throw error
  }
}

/** Another instance has the folder. */
export class InUse extends StartupError {}

function take(dataDir: string, timeout: number): BetterSqlite3.Database {
  let sqlite: BetterSqlite3.Database | undefined
  try {
    sqlite = new BetterSqlite3(join(dataDir, LOCK_FILE), { timeout })
    // Otherwise a file is made for what this transaction might write.
    sqlite.pragma('journal_mode = MEMORY')
    sqlite.exec('BEGIN EXCLUSIVE')
    // Removed with the folder of a restore that failed, while this one waited.
    if (!existsSync(join(dataDir, LOCK_FILE))) throw new Error('it was removed just now')
    return sqlite
  } catch (error) {
    sqlite?.close()
    const { code, message } = error as { code?: string; message: string }
    if (code?.startsWith('SQLITE_BUSY'))
      throw new InUse(`Another instance${nameOf(dataDir)} already uses the data folder ${dataDir}.`)
    throw new StartupError(`The data folder ${dataDir} cannot be written: ${message}.`)
  }
}

/** ` (process 12 on box, http://127.0.0.1:7080)`; nothing where it is not known. */
function nameOf(dataDir: string): string {
  const { pid, host, url } = ownerIn(dataDir)
  if (typeof pid !== 'number') return ''
  const elsewhere = typeof host === 'string' && host !== hostname() ? ` on ${host}` : ''
  return ` (process ${pid}${elsewhere}${typeof url === 'string' ? `, ${url}` : ''})`
}

function ownerIn(dataDir: string): Partial<Owner> {
  try {
    return (JSON.parse(readFileSync(join(dataDir, OWNER_FILE), 'utf8')) as Partial<Owner> | null) ?? {}
  } catch {
    return {}
  }
}

/** A full disk takes nobody's lock; better no name than a wrong one. */
function write(file: string, owner: Owner): void {
  try {
    rmSync(file, { force: true })
    writeFileSync(file, `${JSON.stringify(owner)}\n`, { mode: 0o600 })
  } catch {
    // It is for people only.
  }
}
