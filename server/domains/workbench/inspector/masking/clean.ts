/** The maximum number of cached texts, and the maximum length of each. */
const MAX_TEXTS = 1000
const MAX_LENGTH = 1000

/**
 * Masks texts that repeat often, such as the links of a list. Texts without a secret are cached, so that each is searched
 * once. A text with a secret is never cached.
 */
export class CleanTexts {
  readonly #mask: (text: string) => string
  readonly #clean = new Set<string>()

  constructor(mask: (text: string) => string) {
    this.#mask = mask
  }

  mask(text: string): string {
    if (this.#clean.has(text)) return text
    const masked = this.#mask(text)
    if (masked !== text || text.length > MAX_LENGTH) return masked
    if (this.#clean.size >= MAX_TEXTS) this.#clean.clear()
    this.#clean.add(text)
    return text
  }
}
