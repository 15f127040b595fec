/**
 * Converts values of the configuration to the types of the runner API. A runner silently drops a job with a number instead of a
 * text (spec ci 1.7).
 */
export type Options = Readonly<Record<string, unknown>>

/** A text, or null for any other type. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

/** A list of texts, or null. A single text becomes a list. */
export function textsOf(value: unknown): string[] | null {
  if (Array.isArray(value)) return value.flat(Infinity).flatMap((item) => textOf(item) ?? [])
  const text = textOf(value)
  return text === null ? null : [text]
}

/** A mapping; empty for any other type. */
export function hashOf(value: unknown): Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Options) : {}
}
