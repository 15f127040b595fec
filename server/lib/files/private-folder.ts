import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

import { StartupError } from '../fail.ts'

/** The permission bits of all users other than the owner. */
const OTHERS = 0o077
const OTHERS_WRITE = 0o002
const STICKY = 0o1000

/** Makes files of this process and its children readable for the owner alone. Windows has other permissions. */
export function makeFilesPrivate(): void {
  if (process.platform !== 'win32' && isMainThread) process.umask(OTHERS)
}

/**
 * Creates a folder and its parents for the owner alone. It does not use `recursive`, which never returns for a path
 * below /proc.
 */
export function makePrivateFolder(dir: string): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(dir)
  if (parent !== dir) makePrivateFolder(parent)
  mkdirSync(dir, { mode: 0o700 })
}

/**
 * Closes an existing folder to other users of the machine. `isOwn` is true for names that Deskforge uses in it. A folder
 * with only such files is closed itself; in a shared folder, or a folder of another owner, only these files are closed.
 * Returns a sentence about the change, undefined when there was none. Throws `StartupError` when the folder cannot be
 * closed.
 */
export function closeToOtherUsers(dir: string, isOwn: (name: string) => boolean): string | undefined {
  if (process.platform === 'win32') return undefined
  const { mode } = statSync(dir)
  if ((mode & OTHERS) === 0) return undefined
  const names = readdirSync(dir)
  const isShared = names.some((name) => !isOwn(name) && name !== 'lost+found')
  if (!isShared && close(dir)) return `Others could read the folder ${dir}; its rights are now 700.`
  if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0)
    throw new StartupError(
      `Everyone can write to the folder ${dir}. Remove that permission (chmod o-w) or use another folder.`,
    )
  const openPaths = names
    .filter((name) => isOwn(name))
    .map((name) => join(dir, name))
    .filter((path) => isAccessibleToOthers(path))
  const failedPath = openPaths.find((path) => !close(path))
  if (failedPath !== undefined)
    throw new StartupError(
      `Other users can read ${failedPath}, and its permissions cannot be changed. Change them (chmod -R go= ${dir}) or use another folder.`,
    )
  return openPaths.length === 0
    ? undefined
    : `Other users could read the folder ${dir}; now only its owner can.`
}

/** True if other users may read, write or search the path. False for a symbolic link: its target decides. */
export function isAccessibleToOthers(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && !stats.isSymbolicLink() && (stats.mode & OTHERS) !== 0
}

/** Removes all permissions of other users; false when that fails or has no effect. */
function close(path: string): boolean {
  try {
    chmodSync(path, lstatSync(path).mode & 0o700)
    return !isAccessibleToOthers(path)
  } catch {
    return false
  }
}
