import { createHash, type Hash } from 'node:crypto'
import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'

import { tarEntries, type TarEntry } from '../../../lib/archive/tar-reader.ts'
import { CHECKSUMS, DATABASE, HEAD, isEntryName, readHead, type Head, BackupProblem } from './format.ts'
import { opened, SEALED } from './seal.ts'

/** How a reader handles the entries of a backup. */
export interface Reading {
  readonly passphrase?: string | undefined
  /** Called with the head before anything else is read; it throws to refuse the backup. */
  readonly onHead?: (head: Head) => void
  /** Returns the writer of an entry; by default the content is only checked. */
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
  const start = Buffer.alloc(SEALED.length)
  const fd = openSync(file, 'r')
  try {
    readSync(fd, start, 0, start.length, 0)
  } finally {
    closeSync(fd)
  }
  if (start.equals(SEALED)) return 'sealed'
  return start.subarray(0, ZSTD.length).equals(ZSTD) ? 'plain' : 'other'
}

/**
 * Reads a whole backup and checks every entry against its checksum. Throws BackupProblem for a file that is no backup,
 * is damaged or truncated, needs another passphrase, or has an entry that could leave its folder. Entries written
 * before the error are unusable.
 */
export async function readArchive(file: string, reading: Reading): Promise<Head> {
  const kind = kindOf(file)
  if (kind === 'other') throw new BackupProblem('This file is not a backup of Deskforge.')
  const { passphrase } = reading
  if (kind === 'sealed' && passphrase === undefined)
    throw new BackupProblem('The backup is sealed: it needs its passphrase.')
  let head: Head | undefined
  try {
    await pipeline(
      createReadStream(file, { highWaterMark: 256 * 1024 }),
      (chunks: AsyncIterable<Buffer>) => (kind === 'sealed' ? opened(chunks, passphrase!) : chunks),
      createZstdDecompress({ chunkSize: 256 * 1024 }),
      async (chunks: AsyncIterable<Buffer>) => {
        head = await new Check(reading).run(tarEntries(chunks, { strict: true }))
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

/** Reads only the head, without checking the rest. */
export async function readHeadOf(file: string, passphrase?: string): Promise<Head> {
  class Enough extends Error {}
  let first: Head | undefined
  const onHead = (head: Head): void => {
    first = head
    throw new Enough()
  }
  try {
    await readArchive(file, { passphrase, onHead })
  } catch (error) {
    if (!first) throw error
  }
  return first!
}

/** The checks of one reading. */
class Check {
  readonly #reading: Reading
  /** SHA-256 of each entry, one after the other. */
  #digests: Buffer = Buffer.alloc(32 * 1024)
  #names: Hash = createHash('sha256')
  #count = 0
  #bytes = 0
  #head: Head | undefined

  constructor(reading: Reading) {
    this.#reading = reading
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
        await this.#compare(entry)
        isComplete = true
      } else if (this.#count === 0) await this.#first(entry)
      else await this.#take(entry)
    }
    if (!isComplete) throw new BackupProblem(DAMAGED)
    return this.#head!
  }

  async #first(entry: TarEntry): Promise<void> {
    if (entry.name !== HEAD || entry.size > MAX_HEAD)
      throw new BackupProblem('This file is not a backup of Deskforge.')
    const chunks: Buffer[] = []
    for await (const chunk of entry.content()) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    this.#head = readHead(bytes.toString('utf8'))
    this.#note(entry, createHash('sha256').update(bytes))
    this.#reading.onHead?.(this.#head)
  }

  async #take(entry: TarEntry): Promise<void> {
    const { files, bytes } = this.#head!
    // The counts in the head do not include the head itself.
    if (this.#count > files || this.#bytes + entry.size > bytes)
      throw new BackupProblem('The backup has more content than its head announces; it is not restored.')
    if ((this.#count === 1) !== (entry.name === DATABASE)) throw new BackupProblem(DAMAGED)
    const writer = this.#reading.write?.(entry)
    const hash = createHash('sha256')
    try {
      for await (const chunk of entry.content()) {
        hash.update(chunk)
        writer?.chunk(chunk)
        this.#reading.onBytes?.(chunk.length)
      }
    } finally {
      writer?.end()
    }
    this.#bytes += entry.size
    this.#note(entry, hash)
  }

  #note(entry: TarEntry, hash: Hash): void {
    if ((this.#count + 1) * 32 > this.#digests.length)
      this.#digests = Buffer.concat([this.#digests], this.#digests.length * 2)
    hash.digest().copy(this.#digests, this.#count * 32)
    this.#names.update(`${entry.name}\n`)
    this.#count += 1
  }

  /** Compares the list of checksums at the end with the entries read, in order. */
  async #compare(entry: TarEntry): Promise<void> {
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
    const isWhole = index === this.#count && names.digest('hex') === this.#names.digest('hex')
    const headBytes = /^end (\d+) (\d+)$/.exec(end ?? '')
    if (!isWhole || Number(headBytes?.[1]) !== this.#count) throw new BackupProblem(DAMAGED)
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
