/** Where something stands: the file (place in the list of files that were read) and the offset in its text. */
export interface SourceLocation {
  readonly file: number
  readonly offset: number
}

/** What a configuration is made of. Values are never changed once made, so aliases share them. */
export type Value = string | number | bigint | boolean | null | Float | Reference | List | Hash

/** A list. */
export type List = readonly Value[]

/** A mapping that keeps the order of its keys and remembers where each stands. */
export class Hash extends Map<string, Value> {
  readonly locations = new Map<string, SourceLocation>()
  /** Keys that are no texts in the file: `10`, `on`, `null`. */
  odd: Set<string> | undefined

  /** Sets a key together with its place. */
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

/** A number with a fraction, which reads `1.0` and not `1`. */
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

/** `!reference [a, b]`: stands for the value at that path until references are resolved. */
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

/** True for what counts as not given: null, nothing, an empty text, list or mapping, and blanks. */
export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return true
  if (isText(value)) return value.trim() === ''
  if (isList(value)) return value.length === 0
  return isHash(value) && value.size === 0
}

/** A value as plain text, as it becomes a variable. */
export function textOf(value: Value | undefined): string {
  if (value === null || value === undefined) return ''
  return isHash(value) || isList(value) ? JSON.stringify(plain(value)) : String(value)
}

/** A value as JSON has it. Keys such as `__proto__` stay ordinary keys. */
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

/** Mappings are merged key by key, everything else of `over` replaces what is below (spec ci 4.10, 4.11). */
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
export { secondsOf } from '../../../lib/durations.ts'
const DAY = 24 * 60 * 60

/** Limits that durations of keywords have, in seconds. */
export const WEEK = 7 * DAY

export const MONTH = 30 * DAY
