import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The type of btrfs in statfs(2). */
const BTRFS = 0x91_23_68_3e
/** The kernel's list of mounted file systems of btrfs. */
const SYSTEMS = '/sys/fs/btrfs'

function isOnBtrfs(folder: string): boolean {
  return process.platform === 'linux' && statfsSync(folder).type === BTRFS
}

/**
 * Creates an empty file that btrfs changes without copying, unless it exists. For a file that a program maps into memory: a
 * change of copied content needs space, and if the disk is full, the system ends the program (SIGBUS). Does nothing on
 * other file systems. Never throws.
 */
export function createWithoutCopyOnWrite(file: string): void {
  try {
    if (!isOnBtrfs(dirname(file))) return
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 })
    spawnSync('chattr', ['+C', file], { stdio: 'ignore', timeout: 5000 })
  } catch {
    // The file exists, or its creation fails for the program as well.
  }
}

/**
 * Whether a folder is on btrfs and a subvolume there may have a quota (a qgroup with a limit). The kernel shows the
 * quotas of all file systems of btrfs, so a quota on another disk counts as well. Never throws.
 */
export function mayHaveQuota(folder: string): boolean {
  try {
    return isOnBtrfs(folder) && foldersIn(SYSTEMS).some((system) => hasQuota(join(system, 'qgroups')))
  } catch {
    return false
  }
}

/** A folder of the kernel has one folder per qgroup; its file `limit_flags` is 0 if nothing is limited. */
function hasQuota(qgroups: string): boolean {
  return foldersIn(qgroups).some((qgroup) => {
    try {
      return Number(readFileSync(join(qgroup, 'limit_flags'), 'utf8')) !== 0
    } catch {
      // The qgroup was removed.
      return false
    }
  })
}

/** Paths of the folders in a folder; none if it does not exist. */
function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}
