import { ByteReader } from './byte-reader.ts'

const BLOCK = 512
/** The maximum length of an extended header in bytes. It holds a few long names. */
const MAX_EXTENDED = 64 * 1024

const SENTENCES = {
  empty: 'The archive is empty.',
  'cut off': 'The archive is cut off.',
  damaged: 'The archive is damaged.',
  'long name': 'The archive contains a name that is too long.',
}

/** The reason why a tar cannot be read. */
export class TarProblem extends Error {
  readonly reason: keyof typeof SENTENCES

  constructor(reason: keyof typeof SENTENCES) {
    super(SENTENCES[reason])
    this.name = 'TarProblem'
    this.reason = reason
  }
}

/** An entry of a tar. Its content has to be read before the next entry. */
export interface TarEntry {
  readonly name: string
  readonly size: number
  /** `other` is a hard link, a device or anything else that has no content of its own. */
  readonly kind: 'file' | 'folder' | 'symlink' | 'other'
  readonly mode: number
  /** Seconds since 1970. */
  readonly mtime: number
  /** The target of a link. */
  readonly target: string
  content(): AsyncGenerator<Buffer>
}

interface Header extends Pick<TarEntry, 'name' | 'size' | 'mode' | 'mtime' | 'target'> {
  readonly type: string
}

/** The data of extended headers about the next entry. */
interface ExtendedHeader {
  path?: string
  linkpath?: string
  size?: number
}

/**
 * The entries of a tar in the usual formats (ustar, GNU, pax). Memory holds one block, or one bounded header, however
 * large the tar is. Throws TarProblem for a file that is not a tar or is truncated. `strict` is for a tar that this
 * instance wrote: it reads only extended headers of pax (others are entries of kind `other`), requires the end blocks,
 * and accepts only zeros after them.
 */
export async function* tarEntries(
  source: AsyncIterable<Buffer>,
  { strict = false } = {},
): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(source)
  let extended: ExtendedHeader = {}
  let isFirst = true
  for (;;) {
    const block = await bytes.take(BLOCK)
    // GNU tar ends with two empty blocks; other programs end with the last file.
    if (isEmpty(block)) {
      if (isFirst) throw new TarProblem('empty')
      if (strict && block.length === 0) throw new TarProblem('cut off')
      return readEnd(bytes, strict)
    }
    if (block.length < BLOCK) throw new TarProblem('cut off')
    isFirst = false
    const head = parseHeader(block)
    if (head.type !== '' && (strict ? 'x' : 'xgLK').includes(head.type)) {
      extended = { ...extended, ...(await readExtended(bytes, head)) }
      continue
    }
    const size = head.type === '5' ? 0 : (extended.size ?? head.size)
    let remaining = size
    const padding = (BLOCK - (size % BLOCK)) % BLOCK
    const content = async function* (): AsyncGenerator<Buffer> {
      while (remaining > 0) {
        const chunk = await nextChunk(bytes, remaining)
        remaining -= chunk.length
        yield chunk
      }
    }
    yield {
      name: extended.path ?? head.name,
      target: extended.linkpath ?? head.target,
      size,
      mode: head.mode,
      mtime: head.mtime,
      kind: kindOf(head.type),
      content,
    }
    extended = {}
    while (remaining > 0) remaining -= (await nextChunk(bytes, remaining)).length
    if ((await bytes.take(padding)).length < padding) throw new TarProblem('cut off')
  }
}

const isEmpty = (block: Buffer): boolean => block.every((byte) => byte === 0)

async function nextChunk(bytes: ByteReader, limit: number): Promise<Buffer> {
  const chunk = await bytes.upTo(limit)
  if (chunk.length === 0) throw new TarProblem('cut off')
  return chunk
}

/** Reads to the end of the stream, so that a checksum at its end is verified. */
async function readEnd(bytes: ByteReader, strict: boolean): Promise<void> {
  let bytesRead = 0
  for (;;) {
    const chunk = await bytes.upTo(BLOCK)
    if (strict && !isEmpty(chunk)) throw new TarProblem('damaged')
    if (chunk.length === 0) break
    bytesRead += chunk.length
  }
  if (strict && bytesRead < BLOCK) throw new TarProblem('cut off')
}

function kindOf(type: string): TarEntry['kind'] {
  if (type === '' || type === '0' || type === '7') return 'file'
  if (type === '5') return 'folder'
  return type === '2' ? 'symlink' : 'other'
}

function parseHeader(block: Buffer): Header {
  const text = (from: number, length: number): string => {
    const field = block.subarray(from, from + length)
    const end = field.indexOf(0)
    return field.toString('utf8', 0, end === -1 ? length : end)
  }
  let sum = 0
  for (let at = 0; at < BLOCK; at += 1) sum += at >= 148 && at < 156 ? 32 : block[at]!
  if (sum !== number(block, 148, 8)) throw new TarProblem('damaged')
  const isUstar = block.toString('latin1', 257, 263) === 'ustar\0'
  const prefix = isUstar ? text(345, 155) : ''
  const name = text(0, 100)
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    target: text(157, 100),
    size: number(block, 124, 12),
    mode: Number.parseInt(text(100, 8), 8) || 0,
    mtime: Number.parseInt(text(136, 12), 8) || 0,
    type: text(156, 1),
  }
}

/** Reads a number: octal digits, or base 256 for larger values. */
function number(block: Buffer, from: number, length: number): number {
  const isBinary = (block[from]! & 0x80) !== 0
  const value = isBinary
    ? Number(BigInt(`0x${block.toString('hex', from + length - 7, from + length)}`))
    : Number.parseInt(block.toString('latin1', from, from + length).replaceAll(/[\0 ]/g, '') || '0', 8)
  if (!Number.isSafeInteger(value) || value < 0) throw new TarProblem('damaged')
  return value
}

async function readExtended(bytes: ByteReader, { type, size }: Header): Promise<ExtendedHeader> {
  if (size > MAX_EXTENDED) throw new TarProblem('long name')
  const paddedSize = Math.ceil(size / BLOCK) * BLOCK
  const content = await bytes.take(paddedSize)
  if (content.length < paddedSize) throw new TarProblem('cut off')
  const text = content.subarray(0, size)
  if (type === 'L') return { path: text.toString('utf8').replace(/\0.*$/s, '') }
  if (type === 'K') return { linkpath: text.toString('utf8').replace(/\0.*$/s, '') }
  return type === 'x' ? parsePax(text) : {}
}

function parsePax(text: Buffer): ExtendedHeader {
  const extended: ExtendedHeader = {}
  for (let at = 0; at < text.length;) {
    const space = text.indexOf(32, at)
    const length = Number(text.toString('latin1', at, space))
    if (space === -1 || !Number.isInteger(length) || length <= space - at || at + length > text.length)
      throw new TarProblem('damaged')
    const line = text.toString('utf8', space + 1, at + length - 1)
    const [name] = line.split('=', 1)
    const value = line.slice(name!.length + 1)
    if (name === 'path' || name === 'linkpath') extended[name] = value
    else if (name === 'size' && /^\d{1,15}$/.test(value)) extended.size = Number(value)
    at += length
  }
  return extended
}
