import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

import { StartupError } from '../fail.ts'

const OTHERS = 0o077
const OTHERS_WRITE = 0o002
const STICKY = 0o1000

/** From now on, what this process and its children make is for the owner alone. Windows has rights of another kind. */
export function makeFilesPrivate(): void {
  if (process.platform !== 'win32' && isMainThread) process.umask(OTHERS)
}

/**
 * Makes a folder with those above it, for the owner alone. Step by step rather than `recursive`, which never returns for a place
 * below /proc.
 */
export function makePrivateFolder(dir: string): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(dir)
  if (parent !== dir) makePrivateFolder(parent)
  mkdirSync(dir, { mode: 0o700 })
}

/**
 * Keeps other users of the machine out of a folder that was there already. `own` says which names in it are ours. A folder with
 * nothing else in it is closed itself; in one that others use too, or that belongs to somebody else, what is ours is closed.
 * Returns a sentence about what was changed, undefined where nothing had to be. Throws `StartupError` where it cannot be kept.
 */
export function keepOthersOut(dir: string, own: (name: string) => boolean): string | undefined {
  if (process.platform === 'win32') return undefined
  const { mode } = statSync(dir)
  if ((mode & OTHERS) === 0) return undefined
  const names = readdirSync(dir)
  const isShared = names.some((name) => !own(name) && name !== 'lost+found')
  if (!isShared && close(dir)) return `Others could read the folder ${dir}; its rights are now 700.`
  if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0)
    throw new StartupError(
      `Everybody may write in the folder ${dir}, so nothing in it is safe; take that right away (chmod o-w) or use another folder.`,
    )
  const open = names.filter((name) => own(name)).map((name) => join(dir, name))
  const closed = open.filter((path) => isOpen(path))
  const left = closed.find((path) => !close(path))
  if (left !== undefined)
    throw new StartupError(
      `Others may read ${left}, and its rights cannot be changed; take them away (chmod -R go= ${dir}) or use another folder.`,
    )
  return closed.length === 0
    ? undefined
    : `Others could read what is in the folder ${dir}; only its owner can now.`
}

/** True for what somebody else may read, write or search; links are judged by what they lead to elsewhere. */
export function isOpen(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && !found.isSymbolicLink() && (found.mode & OTHERS) !== 0
}

/** Takes all rights of others away; false where that cannot be done, or is not kept. */
function close(path: string): boolean {
  try {
    chmodSync(path, lstatSync(path).mode & 0o700)
    return !isOpen(path)
  } catch {
    return false
  }
}
