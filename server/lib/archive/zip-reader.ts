import { setImmediate } from 'node:timers/promises'
import type { FileHandle } from 'node:fs/promises'
import { Readable, Transform, pipeline } from 'node:stream'
import { createInflateRaw } from 'node:zlib'

import { RandomAccessReader, fromRandomAccessReaderPromise, getFileNameLowLevel, type Entry } from 'yauzl'

// Reads zip archives from clients and runners within limits: first the directory, then single files.

const SENTENCES = {
  broken: 'The archive is broken',
  too_many: 'The archive has too many files to be shown',
  encrypted: 'The file is encrypted',
  unknown_method: 'The file is packed in an unknown way',
  too_tight: 'The file is packed too tightly',
}
type Reason = keyof typeof SENTENCES

/** The reason why a zip, or a file in it, cannot be read. */
export class ZipProblem extends Error {
  readonly reason: Reason

  constructor(reason: Reason) {
    super(SENTENCES[reason])
    this.name = 'ZipProblem'
    this.reason = reason
  }
}

const WINDOW = 256 * 1024

type Callback = (error: Error | null) => void

/**
 * Reads a file for yauzl in large windows. The directory of an archive is thousands of consecutive records of about
 * fifty bytes; a record inside the current window needs no further read.
 */
class WindowReader extends RandomAccessReader {
  readonly #handle: FileHandle
  #window: Buffer = Buffer.alloc(0)
  #start = 0

  constructor(handle: FileHandle) {
    super()
    this.#handle = handle
  }

  override read(buffer: Buffer, offset: number, length: number, position: number, done: Callback): void {
    if (position >= this.#start && position + length <= this.#start + this.#window.length) {
      this.#copy(buffer, offset, length, position)
      done(null)
      return
    }
    this.#load(position, Math.max(length, WINDOW)).then(
      () => {
        if (this.#window.length < length) return done(new Error('The archive ends early.'))
        this.#copy(buffer, offset, length, position)
        done(null)
      },
      (error: Error) => done(error),
    )
  }

  /** The caller that opened the file closes it. */
  override close(done: Callback): void {
    done(null)
  }

  #copy(buffer: Buffer, offset: number, length: number, position: number): void {
    this.#window.copy(buffer, offset, position - this.#start, position - this.#start + length)
  }

  async #load(position: number, length: number): Promise<void> {
    if (!Number.isSafeInteger(position) || position < 0)
      throw new Error('The archive refers to a position outside of it.')
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, position)
    this.#window = buffer.subarray(0, bytesRead)
    this.#start = position
  }
}

/** A file in an archive. */
export interface ZipFile {
  readonly path: string
  /** Size in bytes, from the directory of the archive. */
  readonly size: number
  /** Compressed size in bytes. */
  readonly compressedSize: number
  /** Offset of its local header in bytes. */
  readonly offset: number
  /** 0: stored, 8: deflated. Other methods are not supported. */
  readonly method: number
  readonly isEncrypted: boolean
}

/** Files of an archive by path. The paths imply the folders. Links and paths that lead outside are omitted. */
export type ZipDirectory = ReadonlyMap<string, ZipFile>

/** Limits of an archive: records, and characters of all their paths together. */
const MAX_ENTRIES = 200_000
const MAX_NAMES = 32 * 1024 * 1024
/** Records to read before the event loop gets a turn. */
const BATCH = 500

/** Reads the directory of a zip archive. Throws ZipProblem for a broken one, and for one above the limits. */
export async function readZipDirectory(handle: FileHandle): Promise<ZipDirectory> {
  const { size } = await handle.stat()
  const files = new Map<string, ZipFile>()
  try {
    const reader = new WindowReader(handle)
    const zip = await fromRandomAccessReaderPromise(reader, size, {
      decodeStrings: false,
      validateEntrySizes: false,
    })
    if (zip.entryCount > MAX_ENTRIES) throw new ZipProblem('too_many')
    let remaining = MAX_NAMES
    let count = 0
    for await (const entry of zip.eachEntry()) {
      remaining -= entry.fileNameLength
      count += 1
      if (remaining < 0) throw new ZipProblem('too_many')
      const file = fileOf(entry)
      if (file) files.set(file.path, file)
      if (count % BATCH === 0) await setImmediate()
    }
  } catch (error) {
    throw error instanceof ZipProblem ? error : new ZipProblem('broken')
  }
  return files
}

/** The bits of the file type in the mode that Unix tools store. */
const FILE_TYPE_MASK = 0o170000
const [REGULAR, NONE] = [0o100000, 0]
const UNIX = 3

function fileOf(entry: Entry): ZipFile | undefined {
  const isUnix = entry.versionMadeBy >>> 8 === UNIX
  const kind = isUnix ? (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK : NONE
  if (kind !== REGULAR && kind !== NONE) return undefined
  const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
  const path = plainPath(name)
  if (path === undefined) return undefined
  return {
    path,
    size: entry.uncompressedSize,
    compressedSize: entry.compressedSize,
    offset: entry.relativeOffsetOfLocalHeader,
    method: entry.compressionMethod,
    isEncrypted: entry.isEncrypted(),
  }
}

/** Longest supported path of a file in an archive. */
const MAX_PATH = 4096

/**
 * Normalizes a path inside an archive: removes a leading `./`. Returns undefined for absolute paths, paths with `..` or
 * empty parts, and control characters.
 */
export function plainPath(path: string): string | undefined {
  const plain = path.replace(/^(\.\/)+/, '')
  if (plain === '' || plain.length > MAX_PATH) return undefined
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\\]/.test(plain) || /^[A-Za-z]:\//.test(plain)) return undefined
  return plain.split('/').some((part) => part === '' || part === '.' || part === '..') ? undefined : plain
}

const [STORED, DEFLATED] = [0, 8]
const LOCAL_HEADER = 30
const SIGNATURE = 0x04034b50
const MB = 1024 * 1024

/** A file above this size and above this compression ratio is treated as a decompression bomb. */
const MAX_UNCHECKED_BYTES = 100 * MB
const MAX_RATIO = 250

/** Returns the reason why the content of a file cannot be read, or undefined. */
function problemOf(file: ZipFile): Reason | undefined {
  if (file.isEncrypted) return 'encrypted'
  if (file.method !== STORED && file.method !== DEFLATED) return 'unknown_method'
  if (file.method === STORED && file.size !== file.compressedSize) return 'broken'
  if (file.size > MAX_UNCHECKED_BYTES && file.size > file.compressedSize * MAX_RATIO) return 'too_tight'
  return undefined
}

/**
 * The content of one file. The stream closes the handle, and fails if the size differs from the directory. Throws
 * ZipProblem for a file that cannot be read; then the handle stays open.
 */
export async function zipContent(handle: FileHandle, file: ZipFile): Promise<Readable> {
  const problem = problemOf(file)
  if (problem) throw new ZipProblem(problem)
  const start = await dataStart(handle, file)
  if (start === undefined) throw new ZipProblem('broken')
  if (file.compressedSize === 0) return emptyFile(handle, file)
  const packed = handle.createReadStream({ start, end: start + file.compressedSize - 1 })
  const meter = requireSize(file.size)
  // The last stream reports the errors of all streams to its reader.
  if (file.method === STORED) return pipeline(packed, meter, () => undefined)
  return pipeline(packed, createInflateRaw(), meter, () => undefined)
}

async function emptyFile(handle: FileHandle, file: ZipFile): Promise<Readable> {
  if (file.size > 0) throw new ZipProblem('broken')
  await handle.close()
  return Readable.from([])
}

/** The offset of a file's data, after its local header. The header may be longer than the one in the directory. */
async function dataStart(handle: FileHandle, file: ZipFile): Promise<number | undefined> {
  const { size } = await handle.stat()
  if (!Number.isSafeInteger(file.offset) || file.offset + LOCAL_HEADER > size) return undefined
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(LOCAL_HEADER), 0, LOCAL_HEADER, file.offset)
  if (bytesRead < LOCAL_HEADER || buffer.readUInt32LE(0) !== SIGNATURE) return undefined
  const start = file.offset + LOCAL_HEADER + buffer.readUInt16LE(26) + buffer.readUInt16LE(28)
  return start + file.compressedSize <= size ? start : undefined
}

/** A stream that fails unless exactly this many bytes pass through it. */
function requireSize(size: number): Transform {
  let remaining = size
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      remaining -= chunk.length
      if (remaining < 0) done(new Error('A file of an archive is longer than its directory entry.'))
      else done(null, chunk)
    },
    flush(done) {
      done(remaining === 0 ? null : new Error('A file of an archive is shorter than its directory entry.'))
    },
  })
}
