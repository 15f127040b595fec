import { BitWriter } from './bit-writer.ts'
import { writeBlock } from './block.ts'

/** The size of the largest block (nine times 100,000 bytes) minus the bytes that the last run may take. */
const BLOCK_BYTES = 900_000 - 19
/** The maximum length of a run: four equal bytes, and a byte that counts further ones. */
const MAX_RUN = 255
/** `BZh9`: the format, and blocks of 900,000 bytes. */
const HEADER = [0x42, 0x5a, 0x68, 0x39] as const
/** The square root of pi, which ends every stream. */
const END_MAGIC = [0x177245, 0x385090] as const

/**
 * Compresses bytes to the bzip2 format. Pass chunks to `push`, then call `end`; both return the bytes that are ready.
 * Compressing a block takes some tenths of a second, so use this class in a worker thread.
 */
export class Bzip2Compressor {
  readonly #out = new BitWriter()
  readonly #block = new Uint8Array(900_000)
  #length = 0
  #blockChecksum = -1
  #streamChecksum = 0
  #runByte = -1
  #runLength = 0

  constructor() {
    for (const byte of HEADER) this.#out.write(byte, 8)
  }

  push(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
    for (const byte of chunk) {
      if (byte === this.#runByte && this.#runLength < MAX_RUN) {
        this.#runLength += 1
        continue
      }
      this.#endRun()
      this.#runByte = byte
      this.#runLength = 1
    }
    return this.#out.take()
  }

  end(): Uint8Array<ArrayBuffer> {
    this.#endRun()
    this.#endBlock()
    for (const part of END_MAGIC) this.#out.write(part, 24)
    this.#out.write32(this.#streamChecksum)
    this.#out.finish()
    return this.#out.take()
  }

  /** Writes the current run: up to four equal bytes, and after four the number of further ones. */
  #endRun(): void {
    const [byte, run] = [this.#runByte, this.#runLength]
    if (run === 0) return
    for (let at = 0; at < run; at++) {
      this.#blockChecksum = (this.#blockChecksum << 8) ^ CRC[(this.#blockChecksum >>> 24) ^ byte]!
    }
    for (let at = 0; at < Math.min(run, 4); at++) this.#block[this.#length++] = byte
    if (run >= 4) this.#block[this.#length++] = run - 4
    this.#runLength = 0
    if (this.#length >= BLOCK_BYTES - 5) this.#endBlock()
  }

  #endBlock(): void {
    if (this.#length === 0) return
    const checksum = ~this.#blockChecksum >>> 0
    this.#streamChecksum = (((this.#streamChecksum << 1) | (this.#streamChecksum >>> 31)) ^ checksum) >>> 0
    writeBlock(this.#out, this.#block.subarray(0, this.#length), checksum)
    this.#length = 0
    this.#blockChecksum = -1
  }
}

/** The table of the CRC-32 of this format: the usual polynomial, the highest bit first. */
const CRC = Int32Array.from({ length: 256 }, (_entry, index) => {
  let value = index << 24
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value
})
