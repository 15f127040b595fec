/** A location: the file (its index in the list of files that were read) and the offset in its text. */
export interface SourceLocation {
  readonly file: number
  readonly offset: number
}

/** A value of a configuration. Values never change, so that aliases can share them. */
export type Value = string | number | bigint | boolean | null | Float | Reference | List | Hash

/** A list. */
export type List = readonly Value[]

/** A mapping that keeps the order of its keys and their locations. */
export class Hash extends Map<string, Value> {
  readonly locations = new Map<string, SourceLocation>()
  /** Keys that are not texts in the file: `10`, `on`, `null`. */
  odd: Set<string> | undefined

  /** Sets a key together with its location. */
  put(key: string, value: Value, location: SourceLocation | undefined): this {
    if (location) this.locations.set(key, location)
    return this.set(key, value)
  }

  /** A copy of the first level. */
  copy(): Hash {
    const copied = new Hash()
    for (const [key, value] of this) copied.put(key, value, this.locations.get(key))
    copied.odd = this.odd
    return copied
  }
}

/** A number with a fraction, which is shown as `1.0` and not as `1`. */
export class Float {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  toString(): string {
    if (Number.isNaN(this.value)) return 'NaN'
    if (!Number.isFinite(this.value)) return this.value > 0 ? 'Infinity' : '-Infinity'
    const text = String(this.value)
    return /[.e]/.test(text) ? text.replace(/^(-?\d)e/, '$1.0e') : `${text}.0`
  }
}

/** `!reference [a, b]`: represents the value at that path until references are resolved. */
export class Reference {
  readonly path: readonly Value[]

  constructor(path: readonly Value[]) {
    this.path = path
  }

  toString(): string {
    return `!reference [${this.path.map((part) => JSON.stringify(String(part))).join(', ')}]`
  }
}

export const isHash = (value: unknown): value is Hash => value instanceof Hash

export const isList = (value: unknown): value is List => Array.isArray(value)

export const isText = (value: unknown): value is string => typeof value === 'string'

export const isInteger = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))

export const isTexts = (value: unknown): value is readonly string[] => isList(value) && value.every(isText)

export const isScalar = (value: unknown): value is string | number | bigint | boolean | Float =>
  isText(value) || isInteger(value) || typeof value === 'boolean' || value instanceof Float

/** True for values that count as not given: null, undefined, an empty text, list or mapping, and blanks. */
export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true
  if (isText(value)) return value.trim() === ''
  if (isList(value)) return value.length === 0
  return isHash(value) && value.size === 0
}

/** A value as the text of a variable. */
export function textOf(value: Value | undefined): string {
  if (value === null || value === undefined) return ''
  return isHash(value) || isList(value) ? JSON.stringify(plain(value)) : String(value)
}

/** A value as JSON. Keys such as `__proto__` stay ordinary keys. */
export function plain(value: Value | undefined): unknown {
  if (isHash(value)) {
    const object: Record<string, unknown> = {}
    for (const [key, one] of value) {
      Object.defineProperty(object, key, {
        value: plain(one),
        enumerable: true,
        writable: true,
        configurable: true,
      })
    }
    return object
  }
  if (isList(value)) return value.map(plain)
  if (value instanceof Float) return Number.isFinite(value.value) ? value.value : value.toString()
  if (value instanceof Reference) return value.toString()
  return typeof value === 'bigint' ? value.toString() : (value ?? null)
}

/** Merges mappings key by key; every other value of `over` replaces the one below (spec ci 4.10, 4.11). */
export function deepMerge(below: Hash, over: Hash): Hash {
  const merged = below.copy()
  for (const [key, value] of over) {
    const old = merged.get(key)
    const both = isHash(old) && isHash(value) ? deepMerge(old, value) : value
    merged.put(key, both, over.locations.get(key))
  }
  if (over.odd) merged.odd = new Set([...(below.odd ?? []), ...over.odd])
  return merged
}
export { secondsOf } from '../../../lib/text/durations.ts'
const DAY = 24 * 60 * 60

/** The seconds of a duration, within the limits of keywords. */
export const WEEK = 7 * DAY

export const MONTH = 30 * DAY
