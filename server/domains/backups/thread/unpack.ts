import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  statfsSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

import { adoptCopy } from '../../../db/pinned.ts'
import { DATA, DATABASE, STORAGES, type Head, BackupProblem } from '../archive/format.ts'
import { syncTreeNow } from '../../../lib/files/durable-file.ts'
import { readArchive, type EntryWriter } from '../archive/read.ts'
import type { TarEntry } from '../../../lib/archive/tar-reader.ts'
import type { Outcome, RestoreTask, Step, VerifyTask } from './run-thread.ts'

type Progress = (step: Step, done: number, total: number) => void

/** The storage in the data folder. */
const DEFAULT = 'default'
/** The maximum ratio of unpacked to packed size. An archive beyond it is meant to fill the disk. */
const MAX_EXPANSION = 300
/** Smaller archives may expand further, because they cannot fill the disk. */
const MIN_CHECKED_BYTES = 1024 ** 3

/** Reads a backup from beginning to end. Throws BackupProblem for a damaged or unsafe one. */
export async function verify(task: VerifyTask, progress: Progress): Promise<Outcome> {
  let total = 0
  let done = 0
  const head = await readArchive(task.file, {
    passphrase: task.passphrase,
    onHead: ({ bytes }) => (total = bytes),
    onBytes: (bytes) => progress('verifying', (done += bytes), total),
  })
  return { head, size: statSync(task.file).size, sha256: '' }
}

/**
 * Unpacks a backup into separate folders and checks everything. Throws BackupProblem or UnusableDatabase with a
 * message; the caller removes the folders.
 */
export async function unpack(task: RestoreTask, progress: Progress): Promise<Outcome> {
  const { file, staging } = task
  const { size } = statSync(file)
  mkdirSync(staging, { recursive: true, mode: 0o700 })
  let done = 0
  let total = 0
  const head = await readArchive(file, {
    passphrase: task.passphrase,
    onHead: (head) => {
      total = head.bytes
      checkSpace(head, size, staging)
    },
    onBytes: (bytes) => progress('unpacking', (done += bytes), total),
    write: (entry) => writerOf(entry, pathOf(task, entry.name)),
  })
  progress('checking', 0, 1)
  adoptCopy(join(staging, 'deskforge.db'), task.knownMigrations, storagesOf(task, head))
  mkdirSync(join(staging, 'repositories'), { recursive: true })
  // Everything is synced at the end, when most of it is already on the disk.
  for (const folder of [staging, ...Object.values(task.storages)]) if (existsSync(folder)) syncTreeNow(folder)
  return { head, size, sha256: '' }
}

function checkSpace({ bytes }: Head, size: number, staging: string): void {
  if (bytes > MIN_CHECKED_BYTES && bytes > size * MAX_EXPANSION)
    throw new BackupProblem('The backup unpacks to far more data than its size allows; it is not restored.')
  const disk = statfsSync(staging)
  if (bytes > disk.bavail * disk.bsize)
    throw new BackupProblem('There is not enough space on the disk for the content of the backup.')
}

/** The path of an entry in the staging folders. `isEntryName` has checked that its name stays inside them. */
function pathOf({ staging, storages }: RestoreTask, name: string): string {
  if (name === DATABASE) return join(staging, 'deskforge.db')
  if (name.startsWith(DATA)) return join(staging, name.slice(DATA.length))
  const [storage = '', ...rest] = name.slice(STORAGES.length).split('/')
  if (storage === DEFAULT) return join(staging, 'repositories', ...rest)
  return join(storages[storage] ?? join(staging, 'storages', storage), ...rest)
}

/** Folders of the storages without a start option, by name. */
function storagesOf({ storages, dataDir }: RestoreTask, head: Head): Record<string, string> {
  const names = head.storages.filter((name) => name !== DEFAULT && storages[name] === undefined)
  return Object.fromEntries(names.map((name) => [name, join(dataDir, 'storages', name)]))
}

function writerOf(entry: TarEntry, path: string): EntryWriter {
  if (entry.kind === 'folder') {
    mkdirSync(path, { recursive: true })
    return { chunk: () => undefined, end: () => undefined }
  }
  mkdirSync(dirname(path), { recursive: true })
  // `create` refuses a name that occurs twice. Files are writable by their owner only, and never executable.
  const fd = create(path, (entry.mode & 0o644) | 0o600)
  return {
    chunk: (bytes) => void writeSync(fd, bytes),
    end: () => {
      closeSync(fd)
      utimesSync(path, entry.mtime, entry.mtime)
    },
  }
}

function create(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode)
  } catch (error) {
    if (['EEXIST', 'EISDIR', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw new BackupProblem('The backup has a file twice; it is not restored.')
    throw error
  }
}
