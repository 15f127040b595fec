import { randomBytes } from 'node:crypto'
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'

/** Enough for what SQLite and a start write before anything can be removed. */
const BYTES = 2 * 1024 * 1024

/**
 * Room that a start finds on a full disk: a file of no use is removed, so that the database can be opened and content deleted.
 * Called before anything else is written. True where it was needed.
 */
export function useReserve(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(file)
    if (bavail * bsize >= BYTES) return false
    rmSync(file, { force: true })
    return true
  } catch {
    // There is none yet.
    return false
  }
}

/** Makes the file where there is room for it several times over. Never fails. */
export function keepReserve(file: string, folder: string): void {
  try {
    const { bavail, bsize } = statfsSync(folder)
    if (statSync(file, { throwIfNoEntry: false })?.size === BYTES || bavail * bsize < 4 * BYTES) return
    // Zeros take no room on some disks.
    writeFileSync(file, randomBytes(BYTES), { mode: 0o600 })
  } catch {
    rmSync(file, { force: true })
  }
}
