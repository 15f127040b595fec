import { createHash, type Hash } from 'node:crypto'
import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'

import { tarEntries, type TarEntry } from '../../../lib/archive/tar-reader.ts'
import { CHECKSUMS, DATABASE, HEAD, isEntryName, parseHead, type Head, BackupProblem } from './format.ts'
import { unseal, SEALED_PREFIX } from './seal.ts'

/** How a reader handles the entries of a backup. */
export interface ReadOptions {
  readonly passphrase?: string | undefined
  /** Called with the head before other entries are read. It may throw to refuse the backup. */
  readonly onHead?: (head: Head) => void
  /** Returns the writer of an entry. Without it, the content is only checked. */
  readonly write?: (entry: TarEntry) => EntryWriter
  readonly onBytes?: (bytes: number) => void
}

/** Receives the content of one entry. */
export interface EntryWriter {
  chunk(bytes: Buffer): void
  end(): void
}

const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const MAX_HEAD = 1024 * 1024
const DAMAGED = 'The backup is damaged or cut off.'

/** The kind of a file, by its first bytes. */
export function kindOf(file: string): 'plain' | 'sealed' | 'other' {
  const start = Buffer.alloc(SEALED_PREFIX.length)
  const fd = openSync(file, 'r')
  try {
    readSync(fd, start, 0, start.length, 0)
  } finally {
    closeSync(fd)
  }
  if (start.equals(SEALED_PREFIX)) return 'sealed'
  return start.subarray(0, ZSTD.length).equals(ZSTD) ? 'plain' : 'other'
}

/**
 * Reads a whole backup and checks every entry against its checksum. Throws BackupProblem for a file that is no backup,
 * is damaged or truncated, needs another passphrase, or has an entry that could be written outside its folder.
 * Entries written before the error are unusable.
 */
export async function readArchive(file: string, options: ReadOptions): Promise<Head> {
  const kind = kindOf(file)
  if (kind === 'other') throw new BackupProblem('This file is not a backup of Deskforge.')
  const { passphrase } = options
  if (kind === 'sealed' && passphrase === undefined)
    throw new BackupProblem('The backup is sealed: it needs its passphrase.')
  let head: Head | undefined
  try {
    await pipeline(
      createReadStream(file, { highWaterMark: 256 * 1024 }),
      (chunks: AsyncIterable<Buffer>) => (kind === 'sealed' ? unseal(chunks, passphrase!) : chunks),
      createZstdDecompress({ chunkSize: 256 * 1024 }),
      async (chunks: AsyncIterable<Buffer>) => {
        head = await new ArchiveCheck(options).run(tarEntries(chunks, { strict: true }))
      },
    )
  } catch (error) {
    // Errors of the decompressor mean damage; errors of the disk do not.
    const { code } = error as NodeJS.ErrnoException
    if (error instanceof BackupProblem || (code !== undefined && !/^(ZSTD|Z_|ERR_)/.test(code))) throw error
    throw new BackupProblem(DAMAGED)
  }
  return head!
}

/** Reads only the head, without checking the other entries. */
export async function readHeadOf(file: string, passphrase?: string): Promise<Head> {
  class HeadIsRead extends Error {}
  let headOfFile: Head | undefined
  const onHead = (head: Head): void => {
    headOfFile = head
    throw new HeadIsRead()
  }
  try {
    await readArchive(file, { passphrase, onHead })
  } catch (error) {
    if (!headOfFile) throw error
  }
  return headOfFile!
}

/** Checks the entries of one archive while it is read. */
class ArchiveCheck {
  readonly #options: ReadOptions
  /** The SHA-256 of each entry, concatenated. */
  #digests: Buffer = Buffer.alloc(32 * 1024)
  #names: Hash = createHash('sha256')
  #count = 0
  #bytes = 0
  #head: Head | undefined

  constructor(options: ReadOptions) {
    this.#options = options
  }

  async run(entries: AsyncIterable<TarEntry>): Promise<Head> {
    let isComplete = false
    for await (const entry of entries) {
      if (isComplete) throw new BackupProblem(DAMAGED)
      if (entry.kind !== 'file' && entry.kind !== 'folder')
        throw new BackupProblem(
          'The backup contains an entry that is neither a file nor a folder; it is not restored.',
        )
      if (!isEntryName(entry.name))
        throw new BackupProblem('The backup has a file with a name that is not allowed; it is not restored.')
      if (entry.name === CHECKSUMS) {
        await this.#compareChecksums(entry)
        isComplete = true
      } else if (this.#count === 0) await this.#readHead(entry)
      else await this.#readEntry(entry)
    }
    if (!isComplete) throw new BackupProblem(DAMAGED)
    return this.#head!
  }

  async #readHead(entry: TarEntry): Promise<void> {
    if (entry.name !== HEAD || entry.size > MAX_HEAD)
      throw new BackupProblem('This file is not a backup of Deskforge.')
    const chunks: Buffer[] = []
    for await (const chunk of entry.content()) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    this.#head = parseHead(bytes.toString('utf8'))
    this.#record(entry, createHash('sha256').update(bytes))
    this.#options.onHead?.(this.#head)
  }

  async #readEntry(entry: TarEntry): Promise<void> {
    const { files, bytes } = this.#head!
    // The counts in the head do not include the head itself.
    if (this.#count > files || this.#bytes + entry.size > bytes)
      throw new BackupProblem('The backup has more content than its head announces; it is not restored.')
    if ((this.#count === 1) !== (entry.name === DATABASE)) throw new BackupProblem(DAMAGED)
    const writer = this.#options.write?.(entry)
    const hash = createHash('sha256')
    try {
      for await (const chunk of entry.content()) {
        hash.update(chunk)
        writer?.chunk(chunk)
        this.#options.onBytes?.(chunk.length)
      }
    } finally {
      writer?.end()
    }
    this.#bytes += entry.size
    this.#record(entry, hash)
  }

  #record(entry: TarEntry, hash: Hash): void {
    if ((this.#count + 1) * 32 > this.#digests.length)
      this.#digests = Buffer.concat([this.#digests], this.#digests.length * 2)
    hash.digest().copy(this.#digests, this.#count * 32)
    this.#names.update(`${entry.name}\n`)
    this.#count += 1
  }

  /** Compares the list of checksums at the end with the entries read, in order. */
  async #compareChecksums(entry: TarEntry): Promise<void> {
    const names = createHash('sha256')
    let index = 0
    let end: string | undefined
    for await (const line of linesOf(entry.content())) {
      if (end !== undefined) throw new BackupProblem(DAMAGED)
      const [, digest, name] = /^([0-9a-f]{64}) (.+)$/s.exec(line) ?? []
      if (digest === undefined || name === undefined) end = line
      else {
        const expected = this.#digests.toString('hex', index * 32, index * 32 + 32)
        if (index >= this.#count || expected !== digest)
          throw new BackupProblem(`The backup is damaged: ${name} does not match its checksum.`)
        names.update(`${name}\n`)
        index += 1
      }
    }
    const hasAllEntries = index === this.#count && names.digest('hex') === this.#names.digest('hex')
    const endLine = /^end (\d+) (\d+)$/.exec(end ?? '')
    if (!hasAllEntries || Number(endLine?.[1]) !== this.#count) throw new BackupProblem(DAMAGED)
  }
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      yield rest.toString('utf8', 0, at)
      rest = rest.subarray(at + 1)
    }
    if (rest.length > 8192) throw new BackupProblem(DAMAGED)
  }
  if (rest.length > 0) yield rest.toString('utf8')
}
