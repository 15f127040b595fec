const MASK = '[MASKED]'

/**
 * Replaces secret values in a stream of bytes. What could be the beginning of a value is held back until it is clear
 * whether it is one, so that a value that comes in two pieces is found too.
 */
export class Masker {
  readonly #values: readonly string[]
  #held = ''

  /** Longer values go before shorter ones that they begin with. */
  constructor(values: readonly string[]) {
    const bytes = [...new Set(values)]
      .filter((value) => value !== '')
      .map((value) => Buffer.from(value).toString('latin1'))
    this.#values = bytes.toSorted((a, b) => b.length - a.length)
  }

  /** The bytes that can go out now. */
  push(bytes: Buffer): Buffer {
    if (this.#values.length === 0) return bytes
    const text = this.#held + bytes.toString('latin1')
    const pattern = this.#patternFor(text)
    let cut = text.length - this.#openEnd(text)
    for (const match of pattern ? text.matchAll(pattern) : []) {
      // A value that reaches into what is held back may be a part of a longer one.
      if (match.index < cut && match.index + match[0].length > cut) cut = match.index
    }
    this.#held = text.slice(cut)
    return this.#masked(text.slice(0, cut), pattern)
  }

  /** What was held back; nothing more comes. */
  end(): Buffer {
    const rest = this.#held
    this.#held = ''
    return this.#masked(rest, this.#patternFor(rest))
  }

  /** Those values that are in a text; of thousands of variables hardly one is. */
  #patternFor(text: string): RegExp | undefined {
    const present = this.#values.filter((value) => text.includes(value))
    const escaped = present.map((value) => value.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))
    return escaped.length > 0 ? new RegExp(escaped.join('|'), 'g') : undefined
  }

  #masked(text: string, pattern: RegExp | undefined): Buffer {
    return Buffer.from(pattern ? text.replace(pattern, MASK) : text, 'latin1')
  }

  /** Length of the longest end of a text with which some value begins. */
  #openEnd(text: string): number {
    let longest = 0
    for (const value of this.#values) {
      const first = value[0]!
      const from = Math.max(0, text.length - value.length + 1)
      for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
        if (!value.startsWith(text.slice(at))) continue
        longest = Math.max(longest, text.length - at)
        break
      }
    }
    return longest
  }
}
