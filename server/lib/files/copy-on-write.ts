import { spawnSync } from 'node:child_process'
import { statfsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The type of btrfs in statfs(2). */
const BTRFS = 0x91_23_68_3e

/**
 * Creates an empty file that btrfs changes without copying, unless it exists. For a file that a program maps into memory: a
 * change of copied content needs space, and if the disk is full, the system ends the program (SIGBUS). Does nothing on
 * other file systems. Never throws.
 */
export function createWithoutCopyOnWrite(file: string): void {
  try {
    if (process.platform !== 'linux' || statfsSync(dirname(file)).type !== BTRFS) return
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
    spawnSync('chattr', ['+C', file], { stdio: 'ignore', timeout: 5000 })
  } catch {
    // The file exists, or its creation fails for the program as well.
  }
}
