/** Most texts that are remembered, and the longest of them. */
const MAX_TEXTS = 1000
const MAX_LENGTH = 1000

/**
 * Masks texts that come again and again, such as the links of a list. It remembers those without a secret, so that they are
 * searched once; a text with a secret is never kept.
 */
export class CleanTexts {
  readonly #mask: (text: string) => string
  readonly #clean = new Set<string>()

  constructor(mask: (text: string) => string) {
    this.#mask = mask
  }

  masked(text: string): string {
    if (this.#clean.has(text)) return text
    const masked = this.#mask(text)
    if (masked !== text || text.length > MAX_LENGTH) return masked
    if (this.#clean.size >= MAX_TEXTS) this.#clean.clear()
    this.#clean.add(text)
    return text
  }
}
