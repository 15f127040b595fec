import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** The space that the tests' folders may need at once. */
const ROOM_BYTES = 4 * 1024 ** 3

/** A file system in memory, on Linux. */
const SHARED_MEMORY = '/dev/shm'

/** Returns true if the folder allows running programs: git runs hooks there, and jobs their scripts. */
function mayRunPrograms(folder) {
  const file = join(folder, 'program')
  writeFileSync(file, '#!/bin/sh\n')
  chmodSync(file, 0o700)
  return spawnSync(file).status === 0
}

/**
 * Puts the temporary files of all processes started from now on into memory, if this machine can: tests create and
 * delete thousands of small files. Returns a function that deletes the folder.
 */
export function keepTemporaryFilesInMemory() {
  let folder
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY)
    if (bavail * bsize < ROOM_BYTES) return () => {}
    folder = mkdtempSync(join(SHARED_MEMORY, 'deskforge-'))
    if (mayRunPrograms(folder)) process.env.TMPDIR = folder
  } catch {
    // There is none, or it is not writable: use the default folder.
  }
  return () => {
    if (folder) rmSync(folder, { recursive: true, force: true })
  }
}
