import { createInflateRaw } from 'node:zlib'

/** A member without its compression, and the number of compressed bytes that it took. */
interface Inflated {
  readonly content: Buffer
  readonly taken: number
}

const [TEXT_CRC, EXTRA, NAME, COMMENT] = [2, 4, 8, 16]
/** Files of one report; a runner sends one for each that matches. */
const MAX_MEMBERS = 10_000

/**
 * The files of a gzip stream one by one: runners concatenate several reports, which together would be no valid XML. `most`
 * limits their total size in bytes.
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
    found.push(part.content)
    left -= part.content.length
    at = start + part.taken + 8
    if (at > content.length) return 'broken'
  }
  return found.length > 0 ? found : 'broken'
}

async function inflated(input: Buffer, most: number): Promise<Inflated | 'broken' | 'too_large'> {
  const engine = createInflateRaw()
  const parts: Buffer[] = []
  let length = 0
  try {
    engine.end(input)
    for await (const part of engine as AsyncIterable<Buffer>) {
      length += part.length
      if (length > most) return 'too_large'
      parts.push(part)
    }
  } catch {
    return 'broken'
  }
  return { content: Buffer.concat(parts), taken: engine.bytesWritten }
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
