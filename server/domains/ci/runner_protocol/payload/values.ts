/**
 * Values of configurations as runners want them. A runner that gets a number where it expects a text throws the whole job
 * away without a word (spec ci 1.7), so nothing goes out unconverted.
 */
export type Options = Readonly<Record<string, unknown>>

/** A text, or null for everything that is none. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

/** A list of texts, or null where there is none; one text is a list too. */
export function textsOf(value: unknown): string[] | null {
  if (Array.isArray(value)) return value.flat(Infinity).flatMap((one) => textOf(one) ?? [])
  const text = textOf(value)
  return text === null ? null : [text]
}

/** A mapping, or an empty one. */
export function hashOf(value: unknown): Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Options) : {}
}
