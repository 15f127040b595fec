/** Packs bits into bytes, the highest bit first. */
export class BitWriter {
  #bytes = new Uint8Array(64 * 1024)
  #length = 0
  #pending = 0
  #count = 0

  /** Writes the lowest `width` bits (at most 24) of `bits`. */
  write(bits: number, width: number): void {
    this.#pending = (this.#pending << width) | bits
    this.#count += width
    while (this.#count >= 8) {
      this.#count -= 8
      this.#push((this.#pending >>> this.#count) & 255)
    }
    this.#pending &= (1 << this.#count) - 1
  }

  write32(bits: number): void {
    this.write(bits >>> 16, 16)
    this.write(bits & 0xffff, 16)
  }

  /** Fills the last byte with zeros. */
  finish(): void {
    if (this.#count > 0) this.write(0, 8 - this.#count)
  }

  /** Returns and removes the complete bytes. */
  take(): Uint8Array<ArrayBuffer> {
    const result = this.#bytes.slice(0, this.#length)
    this.#length = 0
    return result
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#bytes.length)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes[this.#length++] = byte
  }
}
