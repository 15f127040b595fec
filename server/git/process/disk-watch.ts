import { storageSentenceIn } from '../../lib/files/storage-problem.ts'
import { packet } from '../transport/smart-http.ts'

const LENGTH = /^[0-9a-f]{4}$/

/**
 * Follows what git answers to a push. Where git says in its own words that the disk does not take anything, one plain sentence
 * follows on the side band, which clients show as `remote: …`.
 */
export class DiskWatch {
  /** The beginning of a packet whose end is still to come. */
  #rest: Buffer = Buffer.alloc(0)
  #isDone = false

  /** What to pass on of the next bytes. */
  pass(chunk: Buffer): Buffer {
    if (this.#isDone) return chunk
    const bytes = Buffer.concat([this.#rest, chunk])
    const out: Buffer[] = []
    let at = 0
    while (at + 4 <= bytes.length) {
      const length = lengthAt(bytes, at)
      if (length === undefined) return this.#giveUp(out, bytes.subarray(at))
      if (at + length > bytes.length) break
      const whole = bytes.subarray(at, at + length)
      out.push(whole)
      at += length
      const sentence = storageSentenceIn(whole.toString('latin1'))
      if (sentence === undefined || (whole[4] !== 1 && whole[4] !== 2)) continue
      out.push(Buffer.from(packet(`\u0002${sentence}\n`)))
      return this.#giveUp(out, bytes.subarray(at))
    }
    this.#rest = Buffer.from(bytes.subarray(at))
    return Buffer.concat(out)
  }

  /** What was held back at the end. */
  end(): Buffer {
    const rest = this.#rest
    this.#rest = Buffer.alloc(0)
    this.#isDone = true
    return rest
  }

  #giveUp(out: readonly Buffer[], rest: Buffer): Buffer {
    this.end()
    return Buffer.concat([...out, rest])
  }
}

/** Length of a packet with its head; those that only separate have four bytes. Undefined for what is no packet. */
function lengthAt(bytes: Buffer, at: number): number | undefined {
  const text = bytes.toString('latin1', at, at + 4)
  if (!LENGTH.test(text)) return undefined
  const length = parseInt(text, 16)
  return length < 4 ? 4 : length
}
