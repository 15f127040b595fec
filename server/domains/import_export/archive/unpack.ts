import { createReadStream } from 'node:fs'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

import { errorCode } from '../../../lib/files/error-code.ts'
import { tarEntries, type TarEntry, TarProblem } from '../../../lib/archive/tar-reader.ts'

/** An archive that could not be written or read. The message is for users. */
export class ArchiveProblem extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'ArchiveProblem'
  }
}

const DAMAGED = 'The archive is damaged.'
const SENTENCES: Readonly<Record<string, string>> = {
  ENOSPC: 'There is not enough room on the disk.',
  EDQUOT: 'There is not enough room on the disk.',
  EEXIST: 'The archive contains the same name twice.',
  EISDIR: 'The archive contains the same name twice.',
  ENOTDIR: 'The archive contains the same name twice.',
  ENAMETOOLONG: 'The archive contains a name that is too long.',
  Z_BUF_ERROR: 'The archive is cut off.',
  Z_DATA_ERROR: DAMAGED,
  Z_NEED_DICT: DAMAGED,
  ENOENT: 'The archive does not exist.',
}

/**
 * Converts errors of the disk, the decompression and tar to an ArchiveProblem without local details. Returns other
 * errors unchanged.
 */
export function asArchiveProblem(error: unknown): unknown {
  if (error instanceof TarProblem) return new ArchiveProblem(error.message)
  const sentence = SENTENCES[errorCode(error)]
  return sentence === undefined || error instanceof ArchiveProblem ? error : new ArchiveProblem(sentence)
}

const MAX_NAME = 4096

const MAX_SEGMENT = 255

const MAX_DEPTH = 64

/**
 * The name of an entry without leading `./` and trailing `/`; empty for the folder itself. Throws ArchiveProblem for
 * absolute names, names with `..`, and names that are not portable.
 */
function entryName(name: string): string {
  if (name.startsWith('/') || name.startsWith('\\') || /^[a-z]:/i.test(name))
    throw new ArchiveProblem('The archive contains an absolute path.')
  const segments = name.split(/[/\\]/)
  if (segments.includes('..'))
    throw new ArchiveProblem('The archive contains a path that points outside of it.')
  if (/[\p{Cc}\uFFFD\\]/u.test(name))
    throw new ArchiveProblem('The archive contains a name that cannot be used.')
  const parts = segments.filter((segment) => segment !== '' && segment !== '.')
  if (name.length > MAX_NAME || parts.length > MAX_DEPTH || parts.some(isTooLong))
    throw new ArchiveProblem('The archive contains a name that is too long.')
  if (parts.some((segment) => segment.trim() === ''))
    throw new ArchiveProblem('The archive contains a name that cannot be used.')
  return parts.join('/')
}

function isTooLong(segment: string): boolean {
  return Buffer.byteLength(segment) > MAX_SEGMENT
}

/** Whether a link points into the archive. */
function isHarmlessLink(name: string, target: string): boolean {
  if (target === '' || target.startsWith('/') || /[\p{Cc}\\:]/u.test(target)) return false
  let depth = name.split('/').length - 1
  for (const segment of target.split('/')) {
    if (segment === '..') depth -= 1
    else if (segment !== '' && segment !== '.') depth += 1
    if (depth < 0) return false
  }
  return true
}

/** The maximum number of files and folders. No real project has so many attachments. */
const MAX_ENTRIES = 500_000
/** The maximum compression ratio. A higher ratio indicates a decompression bomb. */
const MAX_RATIO = 300
/** The compression ratio is checked from this unpacked size on. */
const MIN_CHECKED_BYTES = 256 * 1024 ** 2

/** The limits of unpacking. */
export interface UnpackLimits {
  /** Maximum size of all files in bytes; 0 for no limit (setting max_decompressed_archive_size, in MB). */
  readonly maxBytes: number
  /** Time limit in milliseconds; 0 for no limit (setting decompress_archive_file_timeout, in seconds). */
  readonly timeoutMs: number
  readonly maxEntries?: number
}

/** Callbacks and signal of the caller. */
export interface UnpackCallbacks {
  readonly signal?: AbortSignal | undefined
  /** Called while the archive is read, with the bytes read so far and its size. */
  readonly onBytes?: (done: number, total: number) => void
}

/**
 * Unpacks an untrusted tar.gz into a new folder. Creates only plain files and folders inside it, readable by the
 * instance only. Skips symbolic links within the archive (spec administration 6.4). Rejects with ArchiveProblem for
 * other entries, or with the reason of an aborted signal, and then deletes the folder.
 */
export async function unpackArchive(
  file: string,
  folder: string,
  limits: UnpackLimits,
  callbacks: UnpackCallbacks = {},
): Promise<{ readonly files: number; readonly bytes: number }> {
  await mkdir(folder, { mode: 0o700 })
  const controller = new AbortController()
  const timeoutProblem = new ArchiveProblem('Unpacking the archive takes too long.')
  const timer =
    limits.timeoutMs > 0 ? setTimeout(() => controller.abort(timeoutProblem), limits.timeoutMs) : undefined
  const signal = AbortSignal.any([controller.signal, ...(callbacks.signal ? [callbacks.signal] : [])])
  try {
    signal.throwIfAborted()
    const { size } = await stat(file)
    if (!(await isGzip(file))) throw new ArchiveProblem('The file is not a gzip archive.')
    const source = createReadStream(file, { highWaterMark: 256 * 1024, signal })
    const gunzip = createGunzip({ chunkSize: 256 * 1024 })
    pipeline(source, gunzip, () => undefined)
    const checkedChunks = async function* (): AsyncGenerator<Buffer> {
      let bytes = 0
      for await (const chunk of gunzip as Readable) {
        callbacks.onBytes?.(source.bytesRead, size)
        // The ratio includes headers, and data after the end of the archive.
        checkRatio((bytes += (chunk as Buffer).length), size)
        yield chunk as Buffer
      }
    }
    return await unpackEntries(checkedChunks(), folder, { ...limits, size })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (signal.aborted) throw signal.reason
    throw asArchiveProblem(error)
  } finally {
    clearTimeout(timer)
  }
}

/** Whether a file starts like a gzip file. */
export async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b
  } finally {
    await handle.close()
  }
}

async function unpackEntries(
  source: AsyncIterable<Buffer>,
  folder: string,
  limits: UnpackLimits & { readonly size: number },
): Promise<{ files: number; bytes: number }> {
  const createdFolders = new Set<string>()
  let entries = 0
  let files = 0
  let bytes = 0
  for await (const entry of tarEntries(source)) {
    entries += 1
    if (entries > (limits.maxEntries ?? MAX_ENTRIES))
      throw new ArchiveProblem('The archive contains too many files.')
    checkSize(bytes + entry.size, limits)
    const name = entryName(entry.name)
    if (!isUnpacked(entry, name)) continue
    const path = join(folder, name)
    const parent = entry.kind === 'folder' ? path : dirname(path)
    if (!createdFolders.has(parent)) await mkdir(parent, { recursive: true, mode: 0o700 })
    createdFolders.add(parent)
    if (entry.kind === 'folder') continue
    await writeFile(path, entry)
    files += 1
    bytes += entry.size
  }
  return { files, bytes }
}

function checkSize(bytes: number, { maxBytes, size }: UnpackLimits & { readonly size: number }): void {
  if (maxBytes > 0 && bytes > maxBytes)
    throw new ArchiveProblem('The archive is too large when it is unpacked.')
  checkRatio(bytes, size)
}

function checkRatio(bytes: number, size: number): void {
  if (bytes > MIN_CHECKED_BYTES && bytes > size * MAX_RATIO)
    throw new ArchiveProblem('The archive unpacks to far more data than its size allows.')
}

/** Whether an entry is unpacked. Throws ArchiveProblem for forbidden entries. */
function isUnpacked(entry: TarEntry, name: string): boolean {
  if (entry.kind === 'other') throw new ArchiveProblem('The archive contains a link or a device.')
  if (entry.kind === 'symlink') {
    if (!isHarmlessLink(name, entry.target))
      throw new ArchiveProblem('The archive contains a link that points outside of it.')
    return false
  }
  // The empty name is the folder itself (`./`), which already exists.
  if (name === '' && entry.kind === 'file')
    throw new ArchiveProblem('The archive contains a file without a name.')
  return name !== ''
}

async function writeFile(path: string, entry: TarEntry): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of entry.content()) {
      let written = 0
      while (written < chunk.length) written += (await handle.write(chunk, written)).bytesWritten
    }
  } finally {
    await handle.close()
  }
}
