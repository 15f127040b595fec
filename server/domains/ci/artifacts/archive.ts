import { LRUCache } from 'lru-cache'
import { open, type FileHandle } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { RandomAccessReader, fromRandomAccessReaderPromise, getFileNameLowLevel, type Entry } from 'yauzl'

import type { Ctx } from '../../../ctx.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { pathOf, type FileLocation } from './disk.ts'

const WINDOW = 256 * 1024

type Done = (error: Error | null) => void

/**
 * Reads a file for yauzl in large pieces. The directory of an archive is thousands of consecutive records of about fifty bytes;
 * a record inside the current piece needs no further read.
 */
class WindowReader extends RandomAccessReader {
  readonly #handle: FileHandle
  #window: Buffer = Buffer.alloc(0)
  #start = 0

  constructor(handle: FileHandle) {
    super()
    this.#handle = handle
  }

  override read(buffer: Buffer, offset: number, length: number, position: number, done: Done): void {
    if (position >= this.#start && position + length <= this.#start + this.#window.length) {
      this.#give(buffer, offset, length, position)
      done(null)
      return
    }
    this.#load(position, Math.max(length, WINDOW)).then(
      () => {
        if (this.#window.length < length) return done(new Error('The archive ends early.'))
        this.#give(buffer, offset, length, position)
        done(null)
      },
      (error: Error) => done(error),
    )
  }

  /** The caller that opened the file closes it. */
  override close(done: Done): void {
    done(null)
  }

  #give(buffer: Buffer, offset: number, length: number, position: number): void {
    this.#window.copy(buffer, offset, position - this.#start, position - this.#start + length)
  }

  async #load(position: number, length: number): Promise<void> {
    if (!Number.isSafeInteger(position) || position < 0)
      throw new Error('The archive names a position outside of it.')
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, position)
    this.#window = buffer.subarray(0, bytesRead)
    this.#start = position
  }
}

/** A file in an archive. */
export interface ArchiveFile {
  readonly path: string
  /** Size in bytes, from the directory of the archive. */
  readonly size: number
  /** Compressed size in bytes. */
  readonly packed: number
  /** Offset of its local header in bytes. */
  readonly offset: number
  /** 0: stored, 8: deflated. Other methods are not supported. */
  readonly method: number
  readonly isEncrypted: boolean
}

/** Files of an archive by path. The paths imply the folders. Links and paths that lead outside are omitted. */
export type Directory = ReadonlyMap<string, ArchiveFile>

/** Limits of an archive: records, and characters of all their paths together. */
const MAX_ENTRIES = 200_000
const MAX_NAMES = 32 * 1024 * 1024
/** Records to read before the event loop gets a turn. */
const TURN = 500

/** Users browse an archive folder by folder, so its directory is cached. The content under a stored name never changes. */
const KEPT_ENTRIES = 250_000
const KEPT_MS = 60_000

interface Cache {
  readonly kept: LRUCache<string, Directory>
  readonly reading: Map<string, Promise<Directory>>
}

function cacheOf({ db }: Pick<Ctx, 'db'>): Cache {
  return db.instance(
    'ci.artifact_directories',
    () => ({
      kept: new LRUCache<string, Directory>({
        maxSize: KEPT_ENTRIES,
        sizeCalculation: (directory) => directory.size + 1,
        ttl: KEPT_MS,
        ttlAutopurge: true,
      }),
      reading: new Map<string, Promise<Directory>>(),
    }),
    { ofContent: true },
  )
}

/**
 * Returns the directory of a stored archive. Throws 404 if the file is missing, 422 if it is not an archive or is too large.
 */
export async function directoryOf(
  ctx: Pick<Ctx, 'db' | 'config'>,
  location: FileLocation,
): Promise<Directory> {
  const { kept, reading } = cacheOf(ctx)
  const known = kept.get(location.stored_as)
  if (known) return known
  // Concurrent callers share one read.
  const begun = reading.get(location.stored_as) ?? openDirectory(ctx, location)
  reading.set(location.stored_as, begun)
  try {
    const directory = await begun
    kept.set(location.stored_as, directory)
    return directory
  } finally {
    reading.delete(location.stored_as)
  }
}

async function openDirectory(ctx: Pick<Ctx, 'config'>, location: FileLocation): Promise<Directory> {
  const handle = await open(pathOf(ctx, location)).catch(() => undefined)
  if (!handle) throw notFound()
  try {
    return await readDirectory(handle)
  } finally {
    await handle.close()
  }
}

async function readDirectory(handle: FileHandle): Promise<Directory> {
  const { size } = await handle.stat()
  const files = new Map<string, ArchiveFile>()
  try {
    const reader = new WindowReader(handle)
    const zip = await fromRandomAccessReaderPromise(reader, size, {
      decodeStrings: false,
      validateEntrySizes: false,
    })
    if (zip.entryCount > MAX_ENTRIES) throw new TooMany()
    let left = MAX_NAMES
    let count = 0
    for await (const entry of zip.eachEntry()) {
      left -= entry.fileNameLength
      count += 1
      if (left < 0) throw new TooMany()
      const file = fileOf(entry)
      if (file) files.set(file.path, file)
      if (count % TURN === 0) await setImmediate()
    }
  } catch (error) {
    if (error instanceof TooMany) throw fail('unprocessable', 'The archive has too many files to be shown')
    throw fail('unprocessable', 'The archive is broken')
  }
  return files
}

class TooMany extends Error {}

/** The bits of the file type in the mode that Unix tools store. */
const KIND = 0o170000
const [REGULAR, NONE] = [0o100000, 0]
const UNIX = 3

function fileOf(entry: Entry): ArchiveFile | undefined {
  const isUnix = entry.versionMadeBy >>> 8 === UNIX
  const kind = isUnix ? (entry.externalFileAttributes >>> 16) & KIND : NONE
  if (kind !== REGULAR && kind !== NONE) return undefined
  const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
  const path = plainPath(name)
  if (path === undefined) return undefined
  return {
    path,
    size: entry.uncompressedSize,
    packed: entry.compressedSize,
    offset: entry.relativeOffsetOfLocalHeader,
    method: entry.compressionMethod,
    isEncrypted: entry.isEncrypted(),
  }
}
/** Longest supported path of a file in an archive. */
const MAX_PATH = 4096
/**
 * Normalizes a path inside an archive: removes a leading `./`. Returns undefined for absolute paths, paths with `..` or empty
 * parts, and control characters.
 */

export function plainPath(path: string): string | undefined {
  const plain = path.replace(/^(\.\/)+/, '')
  if (plain === '' || plain.length > MAX_PATH) return undefined
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\\]/.test(plain) || /^[A-Za-z]:\//.test(plain)) return undefined
  return plain.split('/').some((part) => part === '' || part === '.' || part === '..') ? undefined : plain
}
/** An entry of a folder of an archive. */

export interface ListedEntry {
  readonly name: string
  readonly path: string
  readonly type: 'tree' | 'blob'
  /** Size in bytes. For a folder: of all files below it. */
  readonly size: number
}
/** Lists a folder of an archive by name, folders first. Undefined if the folder does not exist. */

export function listFolder(directory: Directory, folder: string): ListedEntry[] | undefined {
  const prefix = folder === '' ? '' : `${folder}/`
  const folders = new Map<string, number>()
  const files: ListedEntry[] = []
  for (const { path, size } of directory.values()) {
    if (!path.startsWith(prefix)) continue
    const end = path.indexOf('/', prefix.length)
    if (end < 0) files.push({ name: path.slice(prefix.length), path, type: 'blob', size })
    else {
      const name = path.slice(prefix.length, end)
      folders.set(name, (folders.get(name) ?? 0) + size)
    }
  }
  if (folder !== '' && folders.size === 0 && files.length === 0) return undefined
  const trees = [...folders].map(([name, size]) => ({
    name,
    path: prefix + name,
    type: 'tree' as const,
    size,
  }))
  return [...trees.sort(byName), ...files.sort(byName)]
}
function byName(a: ListedEntry, b: ListedEntry): number {
  return a.name < b.name ? -1 : 1
}
