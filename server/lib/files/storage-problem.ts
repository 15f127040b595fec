import { existsSync } from 'node:fs'
import { dirname } from 'node:path'

import { Failure } from '../fail.ts'
import { errorCode } from './error-code.ts'

/**
 * Turns faults of the disk into sentences for users. The API, git over HTTP and SSH, LFS and uploads all use them, so that
 * a full disk always results in status 507.
 */

const FULL = 'There is no space left on the disk; nothing was changed.'
const QUOTA = 'The disk quota is used up; nothing was changed.'
const READ_ONLY = 'The disk cannot be written at the moment; nothing was changed.'
const BROKEN = 'The disk could not be read or written; nothing was changed.'
const TOO_LARGE = 'The disk takes no file as large as that; nothing was changed.'
const DENIED = 'The instance may not read or write its own files; nothing was changed.'
const GONE = 'A folder of the instance is not there at the moment; nothing was changed.'

const BY_CODE: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: QUOTA,
  EROFS: READ_ONLY,
  EIO: BROKEN,
  ESTALE: GONE,
  ENODEV: GONE,
  ENXIO: GONE,
  EFBIG: TOO_LARGE,
  SQLITE_FULL: FULL,
  SQLITE_CANTOPEN: READ_ONLY,
}

/** Error codes that only mean a disk fault when they come from a file operation. */
const BY_FILE_CODE: Readonly<Record<string, string>> = {
  EACCES: DENIED,
  EPERM: DENIED,
  ENOENT: GONE,
  ENOTDIR: GONE,
}
const FILE_CALLS =
  /^(open|opendir|mkdir|mkdtemp|rename|unlink|rmdir|scandir|stat|lstat|write|ftruncate|copyfile|link|fsync|access)$/

/** Messages of git and other programs; LC_ALL=C keeps them English. */
const BY_TEXT: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/i, FULL],
  [/Disk quota exceeded/i, QUOTA],
  [/Read-only file system/i, READ_ONLY],
  [/unable to create temporary object directory/i, READ_ONLY],
  [/Input\/output error|Stale file handle/i, BROKEN],
  [/File too large/i, TOO_LARGE],
]

/** The failure for a storage with a missing folder or disk. */
export function folderGone(): Failure {
  return new Failure('no_storage', GONE)
}

/** The sentence for a program's message about the disk; undefined for other messages. */
export function storageSentenceIn(text: string): string | undefined {
  return BY_TEXT.find(([pattern]) => pattern.test(text))?.[1]
}

/** A disk fault as a Failure (507); undefined for other errors. */
export function storageProblem(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error.kind === 'no_storage' ? error : undefined
  const sentence = sentenceOf(error)
  return sentence === undefined ? undefined : new Failure('no_storage', sentence, { cause: error })
}

function sentenceOf(error: unknown, depth = 3): string | undefined {
  if (typeof error !== 'object' || error === null || depth === 0) return undefined
  const { syscall, path, stderr, cause } = error as {
    syscall?: unknown
    path?: unknown
    stderr?: unknown
    cause?: unknown
  }
  const code = errorCode(error)
  if (code !== '') {
    const problem = BY_CODE[code] ?? sqliteSentence(code)
    if (problem !== undefined) return problem
    if (code === 'ENOENT' && syscall === 'mkdir' && typeof path === 'string' && existsSync(dirname(path)))
      // Node says so when a quota has no space for the folder.
      return READ_ONLY
    if (
      typeof path === 'string' &&
      typeof syscall === 'string' &&
      FILE_CALLS.test(syscall) &&
      BY_FILE_CODE[code]
    )
      return BY_FILE_CODE[code]
  }
  if (typeof stderr === 'string') return storageSentenceIn(stderr)
  return sentenceOf(cause, depth - 1)
}

function sqliteSentence(code: string): string | undefined {
  if (code.startsWith('SQLITE_READONLY')) return READ_ONLY
  if (code === 'SQLITE_IOERR' || code.startsWith('SQLITE_IOERR_')) return BROKEN
  if (code.startsWith('SQLITE_CANTOPEN_')) return READ_ONLY
  return undefined
}
