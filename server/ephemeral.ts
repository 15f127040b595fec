import { existsSync, fstatSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { LOCK_FILE, runningInstanceIn } from './db/lock.ts'
import { systemRandom } from './lib/security/random.ts'
import type { StartOptions } from './start-options.ts'

/** The memory file system of Linux. */
const MEMORY_FOLDER = '/dev/shm'
/**
 * The minimum free space of a memory file system in bytes. Containers often have one of 64 MB, which a few repositories
 * would fill.
 */
const MIN_FREE_BYTES = 1024 ** 3
const PREFIX = 'deskforge-ephemeral-'
/** A folder without a lock file is a leftover when it is older than this; a younger one is still being created. */
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

/** Creates the temporary folder of an instance, in a memory file system if there is one that is large enough. */
export function ephemeral(input: StartOptions, parent = temporaryFolder()): Ephemeral {
  removeLeftovers(parent)
  const dataDir = mkdtempSync(join(parent, PREFIX))
  const token = input.rootToken ?? systemRandom.token(TOKEN_LENGTH)
  const options: StartOptions = {
    ...input,
    dataDir,
    port: input.port ?? 0,
    rootToken: token,
    rootPassword: input.rootPassword ?? token,
    temporary: true,
    // Passwords of a temporary instance protect nothing, and test suites make many users, so the cheapest hash is
    // enough.
    hashCost: { ln: 4, p: 1 },
  }
  const remove = (): void => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
  return { options, token, remove }
}

function temporaryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    if (bavail * bsize >= MIN_FREE_BYTES) return MEMORY_FOLDER
  } catch {
    // Other systems have no such file system.
  }
  return tmpdir()
}

/** Removes folders of instances that were killed. Nobody holds their lock any longer. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(PREFIX))) {
    try {
      const folder = join(parent, name)
      const isLeftover = existsSync(join(folder, LOCK_FILE))
        ? runningInstanceIn(folder) === undefined
        : statSync(folder).mtimeMs < Date.now() - LEFTOVER_MS
      if (!isLeftover) continue
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // The folder belongs to another user, or another start is removing it.
    }
  }
}

/**
 * Calls back once when the parent process has ended. Then another process is the parent, or the other end of standard
 * input or output is closed. Call it before anything is printed. Call the returned function when the instance is ready:
 * standard input that ended earlier was closed on purpose, although the parent still runs.
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

/** True if standard input ends with the parent. A terminal, a file and `/dev/null` do not. */
function isPipe(): boolean {
  try {
    const stats = fstatSync(0)
    return stats.isFIFO() || stats.isSocket()
  } catch {
    return false
  }
}
