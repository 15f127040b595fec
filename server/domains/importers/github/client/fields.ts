/** A record of the other host; everything in it is a stranger's. */
export type Fields = Readonly<Record<string, unknown>>

/** A record; null for anything else. */
export function record(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

/** The record inside another one; null where there is none. */
export function inner(of: Fields | null, name: string): Fields | null {
  return record(of?.[name])
}

/** The records of a list, of a field or as it is; what is none is left out. */
export function records(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(record).filter((one) => one !== null) : []
}

/** A text; null where there is none. */
export function text(of: Fields | null, name: string): string | null {
  const value = of?.[name]
  return typeof value === 'string' ? value : null
}

/** A whole number from 0; null where there is none. */
export function whole(of: Fields | null, name: string): number | null {
  const value = of?.[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

export function flag(of: Fields | null, name: string): boolean {
  return of?.[name] === true
}
