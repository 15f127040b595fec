import { promisify } from 'node:util'
import { inflateRaw, type InputType, type ZlibOptions } from 'node:zlib'

/** What `info: true` gives. */
interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

const inflate = promisify(inflateRaw) as unknown as (
  input: InputType,
  options: ZlibOptions & { info: true },
) => Promise<Inflated>

const [TEXT_CRC, EXTRA, NAME, COMMENT] = [2, 4, 8, 16]
/** Files of one report; a runner sends one for each that matches. */
const MAX_MEMBERS = 10_000

/**
 * The files of a gzip stream one by one: runners put several reports behind each other, and as one text they would be no
 * XML. `most` limits what all of them have together, bytes.
 */
export async function members(content: Buffer, most: number): Promise<Buffer[] | 'broken' | 'too_large'> {
  const found: Buffer[] = []
  let left = most
  let at = 0
  while (at < content.length) {
    const start = dataStart(content, at)
    if (start === undefined || found.length === MAX_MEMBERS) return 'broken'
    if (left <= 0) return 'too_large'
    const part = await inflated(content.subarray(start), left)
    if (typeof part === 'string') return part
    found.push(part.buffer)
    left -= part.buffer.length
    at = start + part.engine.bytesWritten + 8
    if (at > content.length) return 'broken'
  }
  return found.length > 0 ? found : 'broken'
}

async function inflated(input: Buffer, most: number): Promise<Inflated | 'broken' | 'too_large'> {
  try {
    return await inflate(input, { info: true, maxOutputLength: most })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'broken'
  }
}

/** Where the compressed bytes of a member begin (RFC 1952); undefined where there is no member. */
function dataStart(content: Buffer, at: number): number | undefined {
  if (content.length < at + 10 || content.readUIntBE(at, 3) !== 0x1f8b08) return undefined
  const flags = content[at + 3]!
  let start = at + 10
  if (flags & EXTRA) start += start + 2 <= content.length ? 2 + content.readUInt16LE(start) : Infinity
  for (const flag of [NAME, COMMENT]) if (flags & flag) start = content.indexOf(0, start) + 1 || Infinity
  if (flags & TEXT_CRC) start += 2
  return start < content.length ? start : undefined
}
