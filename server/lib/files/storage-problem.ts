import { Failure } from '../fail.ts'

/*
 * What a disk says, in one sentence. Every way in (the API, git over HTTP and SSH, large files, uploads) asks here, so that a full
 * disk is the same everywhere: 507, nothing lost, and well again once there is room.
 */

const FULL = 'There is no room left on the disk; nothing was changed.'
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

/** Codes that say something else where they do not come from a file: a refused connection, a missing program. */
const OF_FILES: Readonly<Record<string, string>> = {
  EACCES: DENIED,
  EPERM: DENIED,
  ENOENT: GONE,
  ENOTDIR: GONE,
}
const FILE_CALLS =
  /^(open|opendir|mkdir|mkdtemp|rename|unlink|rmdir|scandir|stat|lstat|write|ftruncate|copyfile|link|fsync|access)$/

/** What git and other programs say of it; LC_ALL=C keeps them in English. */
const BY_TEXT: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/i, FULL],
  [/Disk quota exceeded/i, QUOTA],
  [/Read-only file system/i, READ_ONLY],
  [/unable to create temporary object directory/i, READ_ONLY],
  [/Input\/output error|Stale file handle/i, BROKEN],
  [/File too large/i, TOO_LARGE],
]

/** A folder that repositories lie in was taken away, or its disk. */
export function folderGone(): Failure {
  return new Failure('no_storage', GONE)
}

/** The sentence for what a program wrote about the disk; undefined where it is about something else. */
export function storageSentenceIn(text: string): string | undefined {
  return BY_TEXT.find(([pattern]) => pattern.test(text))?.[1]
}

/** What became of the disk, as a failure of its own kind (507); undefined for errors that are not the disk's. */
export function storageProblem(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error.kind === 'no_storage' ? error : undefined
  const sentence = sentenceOf(error)
  return sentence === undefined ? undefined : new Failure('no_storage', sentence, { cause: error })
}

function sentenceOf(error: unknown, depth = 3): string | undefined {
  if (typeof error !== 'object' || error === null || depth === 0) return undefined
  const { code, syscall, path, stderr, cause } = error as {
    code?: unknown
    syscall?: unknown
    path?: unknown
    stderr?: unknown
    cause?: unknown
  }
  if (typeof code === 'string') {
    const known = BY_CODE[code] ?? ofSqlite(code)
    if (known !== undefined) return known
    if (typeof path === 'string' && typeof syscall === 'string' && FILE_CALLS.test(syscall) && OF_FILES[code])
      return OF_FILES[code]
  }
  if (typeof stderr === 'string') return storageSentenceIn(stderr)
  return sentenceOf(cause, depth - 1)
}

function ofSqlite(code: string): string | undefined {
  if (code.startsWith('SQLITE_READONLY')) return READ_ONLY
  if (code === 'SQLITE_IOERR' || code.startsWith('SQLITE_IOERR_')) return BROKEN
  if (code.startsWith('SQLITE_CANTOPEN_')) return READ_ONLY
  return undefined
}
