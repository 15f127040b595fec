import { storageSentenceIn } from '../../lib/files/storage-problem.ts'
import { packet } from '../transport/packets.ts'

const LENGTH = /^[0-9a-f]{4}$/

/**
 * Reads git's answer to a push while it is sent. When git reports that the disk refuses writes, one plain sentence is
 * added on the side band, which clients show as `remote: …`.
 */
export class DiskWatch {
  /** The beginning of an incomplete packet. */
  #rest: Buffer = Buffer.alloc(0)
  #isDone = false

  /** Reads the next bytes and returns the bytes to send. An incomplete packet is held back. */
  pass(chunk: Buffer): Buffer {
    if (this.#isDone) return chunk
    const bytes = Buffer.concat([this.#rest, chunk])
    const out: Buffer[] = []
    let at = 0
    while (at + 4 <= bytes.length) {
      const length = lengthAt(bytes, at)
      if (length === undefined) return this.#stop(out, bytes.subarray(at))
      if (at + length > bytes.length) break
      const content = bytes.subarray(at, at + length)
      out.push(content)
      at += length
      const sentence = storageSentenceIn(content.toString('latin1'))
      if (sentence === undefined || (content[4] !== 1 && content[4] !== 2)) continue
      out.push(Buffer.from(packet(`\u0002${sentence}\n`)))
      return this.#stop(out, bytes.subarray(at))
    }
    this.#rest = Buffer.from(bytes.subarray(at))
    return Buffer.concat(out)
  }

  /** Returns the bytes that were held back. */
  end(): Buffer {
    const rest = this.#rest
    this.#rest = Buffer.alloc(0)
    this.#isDone = true
    return rest
  }

  #stop(out: readonly Buffer[], rest: Buffer): Buffer {
    this.end()
    return Buffer.concat([...out, rest])
  }
}

/** The length of a packet including its four-byte head. Separators only have a head. Undefined if it is not a packet. */
function lengthAt(bytes: Buffer, at: number): number | undefined {
  const text = bytes.toString('latin1', at, at + 4)
  if (!LENGTH.test(text)) return undefined
  const length = parseInt(text, 16)
  return length < 4 ? 4 : length
}
