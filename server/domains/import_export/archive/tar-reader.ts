import { ArchiveProblem } from './problem.ts'

const BLOCK = 512
/** Longest extended header: a few long names. */
const MAX_EXTENDED = 64 * 1024

/** An entry of a tar. Its content has to be read before the next entry. */
export interface TarEntry {
  readonly name: string
  readonly size: number
  /** `other` is a hard link, a device or anything else that has no content of its own. */
  readonly kind: 'file' | 'folder' | 'symlink' | 'other'
  /** Where a link leads. */
  readonly target: string
  content(): AsyncGenerator<Buffer>
}

interface Head {
  readonly name: string
  readonly target: string
  readonly size: number
  readonly type: string
}

/** What extended headers say of the next entry. */
interface Extended {
  path?: string
  linkpath?: string
  size?: number
}

/**
 * The entries of a tar in the formats that are about (ustar, GNU, pax), however large it is: nothing but one block, or one
 * bounded header, is in memory. Throws ArchiveProblem for what is no tar, and for one that is cut off.
 */
export async function* tarEntries(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(source)
  let extended: Extended = {}
  let isFirst = true
  for (;;) {
    const block = await bytes.take(BLOCK)
    // GNU tar ends with two empty blocks, others with the file.
    if (block === null) {
      if (isFirst) throw new ArchiveProblem('The archive is empty.')
      return
    }
    if (block.every((byte) => byte === 0)) {
      if (isFirst) throw new ArchiveProblem('The archive is empty.')
      return bytes.drain()
    }
    isFirst = false
    const head = headOf(block)
    if ('xgLK'.includes(head.type) && head.type !== '') {
      extended = { ...extended, ...(await readExtended(bytes, head)) }
      continue
    }
    const size = head.type === '5' ? 0 : (extended.size ?? head.size)
    let left = size
    const padding = (BLOCK - (size % BLOCK)) % BLOCK
    const content = async function* (): AsyncGenerator<Buffer> {
      while (left > 0) {
        const piece = await bytes.upTo(left)
        left -= piece.length
        yield piece
      }
    }
    yield {
      name: extended.path ?? head.name,
      target: extended.linkpath ?? head.target,
      size,
      kind: kindOf(head.type),
      content,
    }
    extended = {}
    while (left > 0) left -= (await bytes.upTo(left)).length
    if (padding > 0 && (await bytes.take(padding)) === null) throw cutOff()
  }
}

function kindOf(type: string): TarEntry['kind'] {
  if (type === '' || type === '0' || type === '7') return 'file'
  if (type === '5') return 'folder'
  return type === '2' ? 'symlink' : 'other'
}

function cutOff(): ArchiveProblem {
  return new ArchiveProblem('The archive is cut off.')
}

function headOf(block: Buffer): Head {
  const text = (from: number, length: number): string => {
    const field = block.subarray(from, from + length)
    const end = field.indexOf(0)
    return field.toString('utf8', 0, end === -1 ? length : end)
  }
  let sum = 0
  for (let at = 0; at < BLOCK; at += 1) sum += at >= 148 && at < 156 ? 32 : block[at]!
  if (sum !== number(block, 148, 8)) throw new ArchiveProblem('The archive is damaged.')
  const isUstar = block.toString('latin1', 257, 263) === 'ustar\0'
  const prefix = isUstar ? text(345, 155) : ''
  const name = text(0, 100)
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    target: text(157, 100),
    size: number(block, 124, 12),
    type: text(156, 1),
  }
}

/** Octal digits, or base 256 for what is larger. */
function number(block: Buffer, from: number, length: number): number {
  const isBinary = (block[from]! & 0x80) !== 0
  const value = isBinary
    ? Number(BigInt(`0x${block.toString('hex', from + length - 7, from + length)}`))
    : Number.parseInt(block.toString('latin1', from, from + length).replaceAll(/[\0 ]/g, '') || '0', 8)
  if (!Number.isSafeInteger(value) || value < 0) throw new ArchiveProblem('The archive is damaged.')
  return value
}

async function readExtended(bytes: Bytes, { type, size }: Head): Promise<Extended> {
  if (size > MAX_EXTENDED) throw new ArchiveProblem('The archive holds a name that is too long.')
  const padded = Math.ceil(size / BLOCK) * BLOCK
  const content = padded === 0 ? Buffer.alloc(0) : await bytes.take(padded)
  if (content === null) throw cutOff()
  const text = content.subarray(0, size)
  if (type === 'L') return { path: text.toString('utf8').replace(/\0.*$/s, '') }
  if (type === 'K') return { linkpath: text.toString('utf8').replace(/\0.*$/s, '') }
  return type === 'x' ? paxOf(text) : {}
}

function paxOf(text: Buffer): Extended {
  const found: Extended = {}
  for (let at = 0; at < text.length;) {
    const space = text.indexOf(32, at)
    const length = Number(text.toString('latin1', at, space))
    if (space === -1 || !Number.isInteger(length) || length <= space - at || at + length > text.length)
      throw new ArchiveProblem('The archive is damaged.')
    const line = text.toString('utf8', space + 1, at + length - 1)
    const [name] = line.split('=', 1)
    const value = line.slice(name!.length + 1)
    if (name === 'path' || name === 'linkpath') found[name] = value
    else if (name === 'size' && /^\d{1,15}$/.test(value)) found.size = Number(value)
    at += length
  }
  return found
}

/** Takes pieces of a stream by their length. */
class Bytes {
  readonly #source: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Exactly so many bytes; null at the end. Throws when it ends in between. */
  async take(length: number): Promise<Buffer | null> {
    while (this.#held.length < length) {
      const next = await this.#source.next()
      if (next.done) {
        if (this.#held.length === 0) return null
        throw cutOff()
      }
      this.#held = this.#held.length === 0 ? next.value : Buffer.concat([this.#held, next.value])
    }
    const taken = this.#held.subarray(0, length)
    this.#held = this.#held.subarray(length)
    return taken
  }

  /** At least one byte and at most so many. Throws at the end. */
  async upTo(length: number): Promise<Buffer> {
    if (this.#held.length === 0) {
      const next = await this.#source.next()
      if (next.done) throw cutOff()
      this.#held = next.value
    }
    const taken = this.#held.subarray(0, length)
    this.#held = this.#held.subarray(length)
    return taken
  }

  /** Reads to the end, so that a checksum there is looked at. */
  async drain(): Promise<void> {
    while (!(await this.#source.next()).done);
  }
}
