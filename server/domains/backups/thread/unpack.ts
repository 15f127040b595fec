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
/** A large archive that unpacks to more than this many times its size is meant to fill the disk. */
const MAX_RATIO = 300
const SMALL = 1024 ** 3

/** Reads a backup from beginning to end. Throws BackupProblem for anything wrong in it. */
export async function verify(task: VerifyTask, progress: Progress): Promise<Outcome> {
  let total = 0
  let done = 0
  const head = await readArchive(task.file, {
    passphrase: task.passphrase,
    onHead: (first) => (total = first.bytes),
    onBytes: (bytes) => progress('verifying', (done += bytes), total),
  })
  return { head, size: statSync(task.file).size, sha256: '' }
}

/**
 * Unpacks a backup into separate folders and checks everything. Throws BackupProblem or UnusableDatabase with a message; the
 * caller removes the folders.
 */
export async function unpack(task: RestoreTask, progress: Progress): Promise<Outcome> {
  const { file, staging } = task
  const { size } = statSync(file)
  mkdirSync(staging, { recursive: true, mode: 0o700 })
  let done = 0
  let total = 0
  const head = await readArchive(file, {
    passphrase: task.passphrase,
    onHead: (first) => {
      total = first.bytes
      checkRoom(first, size, staging)
    },
    onBytes: (bytes) => progress('unpacking', (done += bytes), total),
    write: (entry) => writerOf(entry, pathOf(task, entry.name)),
  })
  progress('checking', 0, 1)
  adoptCopy(join(staging, 'deskforge.db'), task.known, storagesOf(task, head))
  mkdirSync(join(staging, 'repositories'), { recursive: true })
  // Synced together at the end, when most of it is on the disk already.
  for (const folder of [staging, ...Object.values(task.storages)]) if (existsSync(folder)) syncTreeNow(folder)
  return { head, size, sha256: '' }
}

function checkRoom({ bytes }: Head, size: number, staging: string): void {
  if (bytes > SMALL && bytes > size * MAX_RATIO)
    throw new BackupProblem('The backup unpacks to far more data than its size allows; it is not restored.')
  const disk = statfsSync(staging)
  if (bytes > disk.bavail * disk.bsize)
    throw new BackupProblem('There is not enough space on the disk for the content of the backup.')
}

/** The path of an entry. Its name was checked: it stays in the folder. */
function pathOf({ staging, storages }: RestoreTask, name: string): string {
  if (name === DATABASE) return join(staging, 'deskforge.db')
  if (name.startsWith(DATA)) return join(staging, name.slice(DATA.length))
  const [storage = '', ...rest] = name.slice(STORAGES.length).split('/')
  if (storage === DEFAULT) return join(staging, 'repositories', ...rest)
  return join(storages[storage] ?? join(staging, 'storages', storage), ...rest)
}

/** Folders of the storages that no start option names, by name. */
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
  // Each name may occur once. Only the owner's rights are kept, and no file is executable.
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
