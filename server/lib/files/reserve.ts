import { randomBytes } from 'node:crypto'
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'

/** The size of the file in bytes: enough for the writes of SQLite and a start before files can be removed. */
const BYTES = 2 * 1024 * 1024

/**
 * Removes the reserve file on a full disk, so that the database can be opened and content deleted. Call it before other
 * writes. Returns true when it was needed.
 */
export function useReserve(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(file)
    if (bavail * bsize >= BYTES) return false
    rmSync(file, { force: true })
    return true
  } catch {
    // There is no reserve file yet.
    return false
  }
}

/** Creates the reserve file if at least four times its size is free on the disk. Never throws. */
export function keepReserve(file: string, folder: string): void {
  try {
    const { bavail, bsize } = statfsSync(folder)
    if (statSync(file, { throwIfNoEntry: false })?.size === BYTES || bavail * bsize < 4 * BYTES) return
    // Some file systems store zeros without using space.
    writeFileSync(file, randomBytes(BYTES), { mode: 0o600 })
  } catch {
    rmSync(file, { force: true })
  }
}
