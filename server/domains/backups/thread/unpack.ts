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
import type { ReadEntry } from '../archive/tar-reader.ts'
import type { Outcome, RestoreTask, Step, VerifyTask } from './run-thread.ts'

type Progress = (step: Step, done: number, total: number) => void

/** The storage that lies in the data folder. */
const DEFAULT = 'default'
/** Something that unpacks to so many times its own size, and is not small, is meant to fill the disk. */
const MAX_RATIO = 300
const SMALL = 1024 ** 3

/** Reads a backup from beginning to end. Throws BackupProblem where anything in it is wrong. */
export async function verify(order: VerifyTask, progress: Progress): Promise<Outcome> {
  let total = 0
  let done = 0
  const head = await readArchive(order.file, {
    passphrase: order.passphrase,
    onHead: (found) => (total = found.bytes),
    onBytes: (bytes) => progress('verifying', (done += bytes), total),
  })
  return { head, size: statSync(order.file).size, sha256: '' }
}

/**
 * Puts together, in folders of their own, what a backup holds, and checks all of it. Throws BackupProblem, or UnusableDatabase,
 * with a sentence; the folders are the caller's to remove.
 */
export async function unpack(order: RestoreTask, progress: Progress): Promise<Outcome> {
  const { file, staging } = order
  const { size } = statSync(file)
  mkdirSync(staging, { recursive: true, mode: 0o700 })
  let done = 0
  let total = 0
  const head = await readArchive(file, {
    passphrase: order.passphrase,
    onHead: (found) => {
      total = found.bytes
      checkRoom(found, size, staging)
    },
    onBytes: (bytes) => progress('unpacking', (done += bytes), total),
    write: (entry) => writerOf(entry, pathOf(order, entry.name)),
  })
  progress('checking', 0, 1)
  adoptCopy(join(staging, 'deskforge.db'), order.known, storagesOf(order, head))
  mkdirSync(join(staging, 'repositories'), { recursive: true })
  // All at once at the end, when most of it is on the disk already.
  for (const folder of [staging, ...Object.values(order.storages)])
    if (existsSync(folder)) syncTreeNow(folder)
  return { head, size, sha256: '' }
}

function checkRoom({ bytes }: Head, size: number, staging: string): void {
  if (bytes > SMALL && bytes > size * MAX_RATIO)
    throw new BackupProblem('The backup holds far more than a file of its size can; it is not restored.')
  const disk = statfsSync(staging)
  if (bytes > disk.bavail * disk.bsize)
    throw new BackupProblem('There is not enough room on the disk for what the backup holds.')
}

/** Where an entry is put. Its name was checked: it leads nowhere else. */
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

function writerOf(entry: ReadEntry, path: string): EntryWriter {
  if (entry.kind === 'folder') {
    mkdirSync(path, { recursive: true })
    return { chunk: () => undefined, end: () => undefined }
  }
  mkdirSync(dirname(path), { recursive: true })
  // Nothing may come twice. Only what the owner may do is taken over, and nothing can be run.
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
      throw new BackupProblem('The backup holds a file twice; it is not restored.')
    throw error
  }
}
