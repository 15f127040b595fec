import { BackupProblem } from './format.ts'

const BLOCK = 512
const MAX_EXTENDED = 64 * 1024
const CHUNK = 256 * 1024

/** An entry as it is read; its content has to be read before the next one. */
export interface ReadEntry {
  readonly name: string
  readonly size: number
  readonly mode: number
  readonly mtime: number
  readonly kind: 'file' | 'folder'
  content(): AsyncGenerator<Buffer>
}

/**
 * The entries of an archive as tar.ts writes them. Throws BackupProblem for entries other than files and folders, and
 * for a truncated or damaged archive.
 */
export async function* tarEntries(reader: ByteReader): AsyncGenerator<ReadEntry> {
  let extended: Extended = {}
  for (;;) {
    const head = await reader.take(BLOCK)
    if (head.length === BLOCK && head.every((byte) => byte === 0)) return ended(reader)
    const { type, size: plainSize, name, mode, mtime } = fieldsOf(head)
    if (type === 'x') {
      extended = await readExtended(reader, plainSize)
      continue
    }
    if (type !== '0' && type !== '5')
      throw new BackupProblem(
        'The backup holds something that is neither file nor folder; it is not restored.',
      )
    const size = extended.size ?? plainSize
    let isRead = false
    async function* content(): AsyncGenerator<Buffer> {
      isRead = true
      for (let left = size; left > 0;) {
        const chunk = await reader.take(Math.min(left, CHUNK))
        if (chunk.length === 0) throw cutOff()
        left -= chunk.length
        yield chunk
      }
      await reader.take((BLOCK - (size % BLOCK)) % BLOCK)
    }
    const kind = type === '5' ? 'folder' : 'file'
    if (kind === 'folder' && size !== 0) throw cutOff()
    yield { name: extended.path ?? name, size, mode, mtime, kind, content }
    if (!isRead) for await (const _chunk of content());
    extended = {}
  }
}

interface Extended {
  readonly path?: string
  readonly size?: number
}

/** Only zeros follow the end. */
async function ended(reader: ByteReader): Promise<void> {
  const rest = await reader.take(BLOCK)
  if (rest.length < BLOCK || rest.some((byte) => byte !== 0) || !(await reader.isAtEnd())) throw cutOff()
}

function fieldsOf(head: Buffer) {
  if (head.length < BLOCK) throw cutOff()
  const text = (at: number, length: number): string =>
    head.toString('latin1', at, at + length).replace(/\0.*$/s, '')
  const octal = (at: number, length: number): number => {
    const digits = text(at, length).trim()
    if (!/^[0-7]{1,12}$/.test(digits)) throw cutOff()
    return parseInt(digits, 8)
  }
  const sum = head.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (octal(148, 8) !== sum) throw cutOff()
  return {
    name: text(0, 100),
    mode: octal(100, 8),
    size: octal(124, 12),
    mtime: octal(136, 12),
    type: text(156, 1),
  }
}

async function readExtended(reader: ByteReader, size: number): Promise<Extended> {
  if (size > MAX_EXTENDED) throw cutOff()
  const bytes = (await reader.take(size + ((BLOCK - (size % BLOCK)) % BLOCK))).subarray(0, size)
  let path: string | undefined
  let long: number | undefined
  for (let at = 0; at < bytes.length;) {
    const length = Number(/^\d{1,6} /.exec(bytes.toString('latin1', at, at + 7))?.[0])
    if (!(length > 0) || at + length > bytes.length) throw cutOff()
    const [, key, value] = /^\d+ ([^=]+)=(.*)\n$/s.exec(bytes.toString('utf8', at, at + length)) ?? []
    if (key === 'path') path = value!
    else if (key === 'size' && /^\d{1,15}$/.test(value!)) long = Number(value)
    else throw cutOff()
    at += length
  }
  return { ...(path === undefined ? {} : { path }), ...(long === undefined ? {} : { size: long }) }
}

function cutOff(): BackupProblem {
  return new BackupProblem('The backup is damaged or cut off.')
}

/** Reads a stream by length. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  #held: Buffer[] = []
  #bytes = 0
  #isDone = false

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  /** The next `size` bytes; fewer at the end. */
  async take(size: number): Promise<Buffer> {
    await this.#fill(size)
    const all = Buffer.concat(this.#held)
    const rest = all.subarray(size)
    this.#held = rest.length > 0 ? [rest] : []
    this.#bytes = rest.length
    return all.subarray(0, size)
  }

  /** Whether the stream has ended. */
  async isAtEnd(): Promise<boolean> {
    await this.#fill(1)
    return this.#bytes === 0
  }

  async #fill(size: number): Promise<void> {
    while (!this.#isDone && this.#bytes < size) {
      const next = await this.#chunks.next()
      if (next.done) this.#isDone = true
      else {
        this.#held.push(next.value)
        this.#bytes += next.value.length
      }
    }
  }
}
