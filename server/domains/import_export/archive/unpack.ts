import { createReadStream } from 'node:fs'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

import { tarEntries, type TarEntry, TarProblem } from '../../../lib/archive/tar-reader.ts'

/** The reason why an archive could not be written or read, as a message for the user. */
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

/** Converts an error of the disk, decompression or tar to a message without local details. Returns other errors unchanged. */
export function asArchiveProblem(error: unknown): unknown {
  if (error instanceof TarProblem) return new ArchiveProblem(error.message)
  const sentence = SENTENCES[(error as NodeJS.ErrnoException).code ?? '']
  return sentence === undefined || error instanceof ArchiveProblem ? error : new ArchiveProblem(sentence)
}

const MAX_NAME = 4096

const MAX_SEGMENT = 255

const MAX_DEPTH = 64

/**
 * The name of an entry without leading `./` and trailing `/`; empty for the folder itself. Throws ArchiveProblem for absolute
 * names, names with `..`, and names that are not portable.
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

/** More files and folders than any project has attachments. */
const MAX_ENTRIES = 500_000
/** Maximum compression ratio of larger archives: higher ratios indicate a decompression bomb. */
const MAX_RATIO = 300
const SMALL = 256 * 1024 ** 2

/** The limits of unpacking. */
export interface UnpackLimits {
  /** Sum of all files, bytes; 0 for any (setting max_decompressed_archive_size, which is in MB). */
  readonly maxBytes: number
  /** Milliseconds; 0 for any time (setting decompress_archive_file_timeout, which is in seconds). */
  readonly timeoutMs: number
  readonly maxEntries?: number
}

/** Callbacks and signal of the caller. */
export interface UnpackWatch {
  readonly signal?: AbortSignal | undefined
  /** Called while the archive is read, with the bytes read so far and its size. */
  readonly onBytes?: (done: number, total: number) => void
}

/**
 * Unpacks an untrusted tar.gz into a new folder. Creates only plain files and folders inside it, readable by the instance only.
 * Skips symbolic links within the archive (spec administration 6.4). Rejects with ArchiveProblem for other entries, or with the
 * reason of an aborted signal, and then deletes the folder.
 */
export async function unpackArchive(
  file: string,
  folder: string,
  limits: UnpackLimits,
  watch: UnpackWatch = {},
): Promise<{ readonly files: number; readonly bytes: number }> {
  await mkdir(folder, { mode: 0o700 })
  const controller = new AbortController()
  const timeoutProblem = new ArchiveProblem('Unpacking the archive takes too long.')
  const timer =
    limits.timeoutMs > 0 ? setTimeout(() => controller.abort(timeoutProblem), limits.timeoutMs) : undefined
  const signal = AbortSignal.any([controller.signal, ...(watch.signal ? [watch.signal] : [])])
  try {
    signal.throwIfAborted()
    const { size } = await stat(file)
    await checkGzip(file)
    const source = createReadStream(file, { highWaterMark: 256 * 1024, signal })
    const gunzip = createGunzip({ chunkSize: 256 * 1024 })
    pipeline(source, gunzip, () => undefined)
    const reported = async function* (): AsyncGenerator<Buffer> {
      let bytes = 0
      for await (const chunk of gunzip as Readable) {
        watch.onBytes?.(source.bytesRead, size)
        // Includes headers and data after the end of the archive.
        checkRatio((bytes += (chunk as Buffer).length), size)
        yield chunk as Buffer
      }
    }
    return await unpackEntries(reported(), folder, { ...limits, size })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (signal.aborted) throw signal.reason
    throw asArchiveProblem(error)
  } finally {
    clearTimeout(timer)
  }
}

async function checkGzip(file: string): Promise<void> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    if (bytesRead < 2 || buffer.readUInt16BE() !== 0x1f8b)
      throw new ArchiveProblem('The file is not a gzip archive.')
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
    if (!isWanted(entry, name)) continue
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
  if (bytes > SMALL && bytes > size * MAX_RATIO)
    throw new ArchiveProblem('The archive unpacks to far more data than its size allows.')
}

/** Whether to unpack an entry. Throws for forbidden entries. */
function isWanted(entry: TarEntry, name: string): boolean {
  if (entry.kind === 'other') throw new ArchiveProblem('The archive contains a link or a device.')
  if (entry.kind === 'symlink') {
    if (!isHarmlessLink(name, entry.target))
      throw new ArchiveProblem('The archive contains a link that points outside of it.')
    return false
  }
  // The folder itself, `./`, exists already.
  if (name === '' && entry.kind === 'file')
    throw new ArchiveProblem('The archive contains a file without a name.')
  return name !== ''
}

async function writeFile(path: string, entry: TarEntry): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of entry.content()) {
      let at = 0
      while (at < chunk.length) at += (await handle.write(chunk, at)).bytesWritten
    }
  } finally {
    await handle.close()
  }
}
