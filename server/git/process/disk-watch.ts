import { storageSentenceIn } from '../../lib/files/storage-problem.ts'
import { packet } from '../transport/packets.ts'

const LENGTH = /^[0-9a-f]{4}$/

/**
 * Reads git's answer to a push while it passes through. Where git reports that the disk refuses writes, one plain
 * sentence is added on the side band, which clients show as `remote: …`.
 */
export class DiskWatch {
  /** The beginning of a packet that has not arrived in full. */
  #rest: Buffer = Buffer.alloc(0)
  #isDone = false

  /** Takes the next bytes and returns those to pass on. */
  pass(chunk: Buffer): Buffer {
    if (this.#isDone) return chunk
    const bytes = Buffer.concat([this.#rest, chunk])
    const out: Buffer[] = []
    let at = 0
    while (at + 4 <= bytes.length) {
      const length = lengthAt(bytes, at)
      if (length === undefined) return this.#stop(out, bytes.subarray(at))
      if (at + length > bytes.length) break
      const line = bytes.subarray(at, at + length)
      out.push(line)
      at += length
      const sentence = storageSentenceIn(line.toString('latin1'))
      if (sentence === undefined || (line[4] !== 1 && line[4] !== 2)) continue
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

/** Length of a packet with its head; separators have four bytes. Undefined if the bytes are no packet. */
function lengthAt(bytes: Buffer, at: number): number | undefined {
  const text = bytes.toString('latin1', at, at + 4)
  if (!LENGTH.test(text)) return undefined
  const length = parseInt(text, 16)
  return length < 4 ? 4 : length
}
