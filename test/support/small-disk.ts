import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { errorCode } from '../../server/lib/files/error-code.ts'

/** A separate file system that can be made full, read-only or unavailable. */
export interface SmallDisk {
  readonly folder: string
  /** Fills the disk completely, or uses up its quota. */
  fill(): void
  /** Removes the files of `fill`. */
  makeRoom(): void
  remount(mode: 'ro' | 'rw'): void
  clear(): void
}

function mount(args: readonly string[]): boolean {
  return spawnSync('mount', args, { stdio: 'ignore' }).status === 0
}

/** Whether a small disk can be mounted here, which requires root on Linux. */
export function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'deskforge-mount-'))
  const can = mount(['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder])
  if (can) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true })
  return can
}

/** The reason to skip a test that needs a small disk. */
export const NEEDS_MOUNT = 'a disk of its own can be mounted by root on Linux only.'

/** Writes to the file until there is no space or quota left for more. `isFull` is asked before each piece. */
function fillUp(file: string, isFull: () => boolean): void {
  const fd = openSync(file, 'a')
  try {
    // The last space fits only small pieces.
    for (const piece of [64 * 1024, 4 * 1024, 256].map((size) => Buffer.alloc(size)))
      try {
        while (!isFull()) writeSync(fd, piece)
      } catch (error) {
        if (!['ENOSPC', 'EDQUOT'].includes(errorCode(error))) throw error
      }
  } finally {
    closeSync(fd)
  }
}

function mountedDisk(base: string, folder: string, isFull: () => boolean, filled = folder): SmallDisk {
  const filler = join(filled, '.filler')
  return {
    folder,
    fill: () => fillUp(filler, isFull),
    makeRoom: () => rmSync(filler, { force: true }),
    remount(mode) {
      if (!mount(['-o', `remount,${mode}`, folder]))
        throw new Error(`${folder} could not be mounted ${mode}.`)
    },
    clear() {
      spawnSync('umount', ['-l', folder])
      rmSync(base, { recursive: true, force: true })
    },
  }
}

/** Mounts a disk in memory of so many megabytes. */
export function smallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'deskforge-disk-'))
  if (!mount(['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder]))
    throw new Error(`No disk could be mounted at ${folder}.`)
  return mountedDisk(folder, folder, () => statfsSync(folder).bfree === 0)
}

/** The reason to skip a test that needs btrfs. */
export const NEEDS_BTRFS = 'a disk with btrfs needs root on Linux, loop devices and btrfs-progs.'

const succeeds = (program: string, ...args: string[]) =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0

/** Creates folders that share a quota on the mounted disk. */
function limit(disk: string, folders: readonly string[], megabytes: number): boolean {
  const idOf = (folder: string): string => {
    const shown = spawnSync('btrfs', ['inspect-internal', 'rootid', folder], { encoding: 'utf8' })
    return `0/${shown.stdout.trim()}`
  }
  return (
    succeeds('btrfs', 'quota', 'enable', disk) &&
    succeeds('btrfs', 'qgroup', 'create', '1/0', disk) &&
    folders.every((folder) => {
      mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
      const isCreated = succeeds('btrfs', 'subvolume', 'create', folder)
      if (isCreated) chmodSync(folder, 0o700)
      return isCreated && succeeds('btrfs', 'qgroup', 'assign', idOf(folder), '1/0', disk)
    }) &&
    succeeds('btrfs', 'qgroup', 'limit', `${megabytes}M`, '1/0', disk)
  )
}

/**
 * Mounts a disk of btrfs, which copies content when it changes; null if that is not possible here. With `limited`, these
 * folders share a quota of 64 MB, which `fill` uses up.
 */
export function btrfsDisk(limited: readonly string[] = []): SmallDisk | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  const base = mkdtempSync(join(tmpdir(), 'deskforge-disk-'))
  const folder = join(base, 'mounted')
  const image = join(base, 'image')
  mkdirSync(folder, { mode: 0o700 })
  closeSync(openSync(image, 'w'))
  truncateSync(image, 320 * 1024 * 1024)
  const folders = limited.map((path) => join(folder, path))
  const disk = mountedDisk(base, folder, () => false, folders[0])
  const isReady =
    succeeds('mkfs.btrfs', '-q', image) &&
    mount(['-o', 'loop', image, folder]) &&
    (folders.length === 0 || limit(folder, folders, 64))
  if (isReady) return disk
  disk.clear()
  return null
}

/** Whether a disk of btrfs can be mounted here. */
export function hasBtrfs(): boolean {
  const disk = btrfsDisk(['limited'])
  disk?.clear()
  return disk !== null
}
