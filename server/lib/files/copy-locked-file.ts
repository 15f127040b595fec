import { spawnSync } from 'node:child_process'
import { constants, copyFileSync } from 'node:fs'

/** The options of `cp` that share the content with the copy where the file system can. */
const SHARING: Readonly<Record<string, readonly string[]>> = { linux: ['--reflink=auto'], darwin: ['-c'] }

/**
 * Copies a file on which this process holds locks, such as an open database. POSIX releases all locks of a process on a
 * file when it closes any descriptor of it, so on Unix the program `cp` reads the file. Throws when it cannot be copied.
 */
export function copyLockedFile(from: string, to: string): void {
  if (process.platform === 'win32') {
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
    return
  }
  // Some versions of `cp` do not have the option, and some file systems cannot share.
  const sharing = SHARING[process.platform]
  if (sharing && cp([...sharing, '--', from, to]) === undefined) return
  const problem = cp(['--', from, to])
  if (problem !== undefined)
    throw Object.assign(new Error('The file could not be copied.'), { stderr: problem })
}

/** Runs `cp`. Returns its message if it fails, else undefined. */
function cp(args: readonly string[]): string | undefined {
  const { error, status, stderr } = spawnSync('cp', args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  if (error) throw error
  return status === 0 ? undefined : stderr
}
