// These functions convert values of the configuration to the types of the runner API. A runner silently drops a job with
// a number instead of a text (spec ci 1.7).

/** A mapping of the configuration. */
export type Options = Readonly<Record<string, unknown>>

/** The text of a text, number or boolean. Null for any other type. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

/** The texts of a list, or a list with a single text. Null for any other type. */
export function textsOf(value: unknown): string[] | null {
  if (Array.isArray(value)) return value.flat(Infinity).flatMap((item) => textOf(item) ?? [])
  const text = textOf(value)
  return text === null ? null : [text]
}

/** A mapping. Empty for any other type. */
export function hashOf(value: unknown): Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Options) : {}
}
