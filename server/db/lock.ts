import BetterSqlite3 from 'better-sqlite3'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

import { StartupError } from '../lib/fail.ts'

/** The lock that this process has on a data folder. */
export interface DataDirLock {
  /** Stores the address, for the message to a second instance. */
  setAddress(url: string): void
  release(): void
}

/**
 * The locked file. Only SQLite may open it in this process: closing another descriptor of it would release the lock
 * (POSIX). It is empty and is never removed, because two processes could then lock two files with the same name.
 */
export const LOCK_FILE = 'instance.lock'
/** The owner of the lock, for messages only. */
export const OWNER_FILE = 'instance.json'
/** The lock file of earlier releases. */
const FORMER_LOCK_FILE = 'deskforge.lock'
/** The kernel releases the lock of a killed process with its last descriptor, which may take a moment. */
const WAIT_MS = 1500

interface Owner {
  readonly pid: number
  readonly host: string
  readonly url?: string
}

/**
 * Locks the data folder for this process, waiting a moment for another owner. The kernel holds the lock, so it ends
 * with the process and works between containers, where process ids mean nothing. Locking writes nothing, so it works on
 * a full disk. Throws `StartupError` when another instance has the lock.
 */
export function lockDataDir(dataDir: string, waitMs = WAIT_MS): DataDirLock {
  const file = join(dataDir, OWNER_FILE)
  const sqlite = acquire(dataDir, waitMs)
  const owner = { pid: process.pid, host: hostname() }
  rmSync(join(dataDir, FORMER_LOCK_FILE), { force: true })
  writeOwner(file, owner)
  return {
    setAddress: (url) => writeOwner(file, { ...owner, url }),
    release: () => {
      if (!sqlite.open) return
      rmSync(file, { force: true })
      sqlite.close()
    },
  }
}

/**
 * Returns a sentence about the instance that uses a data folder; undefined when the folder is free. Locks the folder for
 * a moment. Throws `StartupError` if the folder cannot be locked.
 */
export function runningInstanceIn(dataDir: string): string | undefined {
  try {
    acquire(dataDir, 0).close()
    return undefined
  } catch (error) {
    if (error instanceof DataDirInUse) return error.message
    throw error
  }
}

/** Another instance uses the folder. */
export class DataDirInUse extends StartupError {}

function acquire(dataDir: string, timeout: number): BetterSqlite3.Database {
  let sqlite: BetterSqlite3.Database | undefined
  try {
    sqlite = new BetterSqlite3(join(dataDir, LOCK_FILE), { timeout })
    // This setting keeps SQLite from creating a journal file.
    sqlite.pragma('journal_mode = MEMORY')
    sqlite.exec('BEGIN EXCLUSIVE')
    // A failed restore may have removed the folder while this process waited.
    if (!existsSync(join(dataDir, LOCK_FILE))) throw new Error('it was removed just now')
    return sqlite
  } catch (error) {
    sqlite?.close()
    const { code, message } = error as { code?: string; message: string }
    if (code?.startsWith('SQLITE_BUSY'))
      throw new DataDirInUse(
        `Another instance${describeOwner(dataDir)} already uses the data folder ${dataDir}.`,
      )
    throw new StartupError(`The data folder ${dataDir} cannot be written: ${message}.`)
  }
}

/** Describes the owner, such as ` (process 12 on box, http://127.0.0.1:7080)`; empty when it is unknown. */
function describeOwner(dataDir: string): string {
  const { pid, host, url } = ownerIn(dataDir)
  if (typeof pid !== 'number') return ''
  const onHost = typeof host === 'string' && host !== hostname() ? ` on ${host}` : ''
  return ` (process ${pid}${onHost}${typeof url === 'string' ? `, ${url}` : ''})`
}

function ownerIn(dataDir: string): Partial<Owner> {
  try {
    return (JSON.parse(readFileSync(join(dataDir, OWNER_FILE), 'utf8')) as Partial<Owner> | null) ?? {}
  } catch {
    return {}
  }
}

/** Writes the owner file. On a full disk there is no file afterwards, because a wrong owner would mislead. */
function writeOwner(file: string, owner: Owner): void {
  try {
    rmSync(file, { force: true })
    writeFileSync(file, `${JSON.stringify(owner)}\n`, { mode: 0o600 })
  } catch {
    // Only messages use the file, so the start continues without it.
  }
}
