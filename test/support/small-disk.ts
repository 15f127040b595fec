import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A separate file system that can be made full, read-only or unavailable. */
export interface SmallDisk {
  readonly folder: string
  /** Fills the disk completely. */
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

/** Mounts a disk in memory of so many megabytes. */
export function smallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'deskforge-disk-'))
  if (!mount(['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder]))
    throw new Error(`No disk could be mounted at ${folder}.`)
  const filler = join(folder, '.filler')
  return {
    folder,
    fill() {
      const fd = openSync(filler, 'a')
      const piece = Buffer.alloc(64 * 1024)
      try {
        while (statfsSync(folder).bfree > 0) writeSync(fd, piece)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        closeSync(fd)
      }
    },
    makeRoom: () => rmSync(filler, { force: true }),
    remount(mode) {
      if (!mount(['-o', `remount,${mode}`, folder]))
        throw new Error(`${folder} could not be mounted ${mode}.`)
    },
    clear() {
      spawnSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
