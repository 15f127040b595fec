import {
  copyFileSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { dataPaths } from './config.ts'
import { LOCK_FILE, userOf } from './db/lock.ts'
import { systemRandom } from './lib/security/random.ts'
import type { StartOptions } from './start-options.ts'

/** A disk in memory. */
const MEMORY = '/dev/shm'
/**
 * The minimum size of a memory file system in bytes. Containers often have one of 64 MB, which a few repositories would
 * fill.
 */
const ENOUGH_BYTES = 1024 ** 3
const PREFIX = 'deskforge-ephemeral-'
/** A folder without the file of the lock is a leftover when it is older than this; a younger one is being filled. */
const LEFTOVER_MS = 60_000
/** The interval in milliseconds at which the instance checks whether its parent is alive. */
const CHECK_MS = 250
const TOKEN_LENGTH = 26

/** A temporary instance: its start options, and the data for its parent. */
export interface Ephemeral {
  readonly options: StartOptions
  readonly token: string
  /** Removes the folder with everything in it. */
  remove(): void
}

/** Makes the temporary folder of an instance, in memory where a disk in memory is large enough. */
export function ephemeral(input: StartOptions, parent = temporaryFolder()): Ephemeral {
  removeLeftovers(parent)
  const dataDir = mkdtempSync(join(parent, PREFIX))
  // Migrations take longer than everything else of a start.
  const empty = input.assetsDir === undefined ? undefined : join(input.assetsDir, EMPTY_DATABASE)
  if (empty !== undefined && existsSync(empty)) copyFileSync(empty, dataPaths(dataDir).database)
  const token = input.rootToken ?? systemRandom.token(TOKEN_LENGTH)
  const options: StartOptions = {
    ...input,
    dataDir,
    port: input.port ?? 0,
    rootToken: token,
    rootPassword: input.rootPassword ?? token,
    throwAway: true,
    // Passwords of a temporary instance protect nothing, and test suites make many users, so the cheapest hash is
    // enough.
    hashCost: { ln: 4, p: 1 },
  }
  const remove = (): void => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
  return { options, token, remove }
}

/** In the folder of assets: a database with all tables and no rows, created by the build. */
export const EMPTY_DATABASE = 'empty.db'

function temporaryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize >= ENOUGH_BYTES) return MEMORY
  } catch {
    // There is no such disk on other systems.
  }
  return tmpdir()
}

/** Removes folders of instances that were killed. Their lock ended with them. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(PREFIX))) {
    try {
      const folder = join(parent, name)
      const isLeft = existsSync(join(folder, LOCK_FILE))
        ? userOf(folder) === undefined
        : statSync(folder).mtimeMs < Date.now() - LEFTOVER_MS
      if (!isLeft) continue
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // Another user's folder, or one that another start removes just now.
    }
  }
}

/**
 * Calls back once when the parent process has ended: another process is the parent then, or the other end of standard
 * input or output is closed. Call it before anything is printed. Returns a function to call when the instance is ready:
 * an input that ended before was closed on purpose, and says nothing about the parent.
 */
export function whenParentIsGone(callback: () => void): () => void {
  let isReady = false
  const ready = (): void => void (isReady = true)
  const parent = process.ppid
  const timer = setInterval(() => process.ppid !== parent && onGone(), CHECK_MS)
  const onGone = (): void => {
    clearInterval(timer)
    callback()
  }
  process.stdout.on('error', onGone)
  if (!isPipe()) return ready
  process.stdin.on('error', onGone)
  process.stdin.on('end', () => isReady && onGone())
  process.stdin.resume()
  process.stdin.unref?.()
  return ready
}

/** A terminal, a file and `/dev/null` do not end with the parent. */
function isPipe(): boolean {
  try {
    const stats = fstatSync(0)
    return stats.isFIFO() || stats.isSocket()
  } catch {
    return false
  }
}
