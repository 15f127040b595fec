import { errorCode } from '../../../lib/files/error-code.ts'

/*
 * A backup is a tar archive, compressed with Zstandard (`zstd -d` and `tar` read it). With a passphrase it is encrypted
 * ("sealed", see seal.ts). Its entries, in this order:
 *
 *     deskforge-backup.json   the head, which describes the backup (Head)
 *     database.sqlite         a copy of the database
 *     data/…                  files of the data folder
 *     storages/<name>/…       repositories, with all their refs in packed-refs
 *     checksums               SHA-256 and path of all entries above, one per line, then `end <entries> <bytes>`
 */
export const HEAD = 'deskforge-backup.json'

export const DATABASE = 'database.sqlite'

export const DATA = 'data/'

export const STORAGES = 'storages/'

export const CHECKSUMS = 'checksums'

/** The version of this format. */
export const FORMAT = 1

/** The first entry of a backup, which describes the others. */
export interface Head {
  readonly format: number
  readonly app_version: string
  /** The last migration of the database. */
  readonly schema: string
  readonly created_at: string
  /** The number of files that follow, and their bytes. */
  readonly files: number
  readonly bytes: number
  readonly counts: Readonly<Record<string, number>>
  readonly storages: readonly string[]
  /** A warning for people who open the file. */
  readonly notice: string
}

export const NOTICE =
  'This file contains all data of a Deskforge instance, including its keys and secrets. Anyone who has it can act as any user of the instance.'

/** Parses the head. Throws BackupProblem if it is damaged or comes from a newer release. */
export function parseHead(text: string): Head {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BackupProblem('The backup is damaged: it has no description.')
  }
  const head = value as Partial<Head> | null
  if (isCount(head?.format) && head.format > FORMAT)
    throw new BackupProblem('The backup was created by a newer release of Deskforge.')
  if (head?.format !== FORMAT || !isHead(head))
    throw new BackupProblem('The backup is damaged: it has no description.')
  return head
}

// Does not use zod, because loading it doubles the start time of the thread.
function isHead(head: Partial<Head>): head is Head {
  const { app_version, schema, created_at, notice, files, bytes, counts, storages } = head
  const texts = [app_version, schema, created_at, notice]
  return (
    texts.every((text) => typeof text === 'string' && text.length < 1000) &&
    !Number.isNaN(Date.parse(created_at!)) &&
    isCount(files) &&
    isCount(bytes) &&
    typeof counts === 'object' &&
    Object.values(counts ?? {}).every(isCount) &&
    Array.isArray(storages) &&
    storages.every((name) => typeof name === 'string' && STORAGE_NAME.test(name))
  )
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Names in the data folder that no backup contains: caches, files of other programs, and backups. */
const EXCLUDED_NAMES: ReadonlySet<string> = new Set([
  'deskforge.db',
  'deskforge.db-wal',
  'deskforge.db-shm',
  'deskforge.lock',
  'instance.lock',
  'instance.json',
  'reserve',
  'logs',
  'backups',
  'tmp',
  'snapshots',
  'git',
  'window',
  'repositories',
  'storages',
  'built_in_runner',
  'restore',
  'restore.json',
  'local.json',
])

/** Whether a backup contains a file or folder with this name, directly in the data folder. */
export function isIncluded(name: string): boolean {
  return !EXCLUDED_NAMES.has(name) && !/^(deskforge\.lock\.|before-restore-|\.)/.test(name)
}

const SEGMENT = /^(?!\.{1,2}$)[^/\\\x00-\x1f]{1,255}$/
const STORAGE_NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,64}$/

/** Whether an entry may have this name; other names could leave the folder that the backup is restored to. */
export function isEntryName(name: string): boolean {
  if (name === HEAD || name === DATABASE || name === CHECKSUMS) return true
  if (Buffer.byteLength(name) > 4096) return false
  const segments = name.split('/')
  const isSafe = segments.every(
    (segment) => SEGMENT.test(segment) && (process.platform !== 'win32' || !/[:*?"<>|]|[. ]$/.test(segment)),
  )
  if (!isSafe) return false
  if (segments[0] === 'data') return segments.length > 1 && isIncluded(segments[1]!)
  return segments[0] === 'storages' && segments.length > 2 && STORAGE_NAME.test(segments[1]!)
}

/** A backup that cannot be created or read. The message is for users. */
export class BackupProblem extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'BackupProblem'
  }
}

/** The message of an error for users. Common errors of the disk get a plain sentence. */
export function sentenceOf(error: unknown): string {
  if (error instanceof BackupProblem) return error.message
  const code = errorCode(error)
  const { message } = error as Error
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'There is not enough space on the disk.'
  if (code === 'EFBIG') return 'The file is too large for the disk.'
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `A file may not be written: ${message}.`
  return `${message.split('\n')[0]?.replace(/\.$/, '')}.`
}
