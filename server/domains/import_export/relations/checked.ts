import { UnusableRecord, type Fields, type Json } from './relation.ts'

/** The maximum length of a text in a record, which is the limit of the API for descriptions and notes. */
const MAX_TEXT = 1_048_576
const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)? ?(Z|UTC|[+-]\d\d:?\d\d)?$/
const DAY = /^\d{4}-\d\d-\d\d$/

/**
 * A text of a record, null if there is none. Throws UnusableRecord for other values and for a text longer than `max`.
 */
export function textOf(record: Fields, name: string, max = MAX_TEXT): string | null {
  const value = record[name]
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new UnusableRecord(`${name} is not a text`)
  if (value.length > max) throw new UnusableRecord(`${name} is too long (maximum is ${max} characters)`)
  // SQLite and git do not accept NUL, and a lone surrogate is not valid text.
  return value.replaceAll('\0', '').toWellFormed()
}

/** A required text that is not blank. Throws UnusableRecord. */
export function requiredText(record: Fields, name: string, max = MAX_TEXT): string {
  const text = textOf(record, name, max)
  if (text === null || text.trim() === '') throw new UnusableRecord(`${name} can't be blank`)
  return text
}

/** An integer, null if there is none. Throws UnusableRecord for other values and for numbers outside the bounds. */
export function integerOf(
  record: Fields,
  name: string,
  { min = -2_147_483_648, max = 2_147_483_647 }: { min?: number; max?: number } = {},
): number | null {
  const value = record[name]
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new UnusableRecord(`${name} is not a number`)
  if (value < min || value > max) throw new UnusableRecord(`${name} is out of range`)
  return value
}

/** The number (iid) of a record in its project. Throws UnusableRecord if there is none. */
export function iidOf(record: Fields): number {
  const iid = integerOf(record, 'iid', { min: 1 })
  if (iid === null) throw new UnusableRecord("iid can't be blank")
  return iid
}

/** A boolean. Other values become `fallback`. */
export function flagOf(record: Fields, name: string, fallback = false): boolean {
  const value = record[name]
  return typeof value === 'boolean' ? value : fallback
}

/**
 * A time in the format of columns (ISO 8601, UTC, milliseconds), null if there is none. Throws UnusableRecord for other
 * values.
 */
export function timeOf(record: Fields, name: string): string | null {
  const value = record[name]
  if (value === undefined || value === null || value === '') return null
  const text =
    typeof value === 'string' && ISO.test(value) ? value.replace(' UTC', 'Z').replace(/^(\S+) /, '$1T') : ''
  const withZone = /(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`
  const time = Date.parse(withZone.replace(/(\.\d{3})\d+/, '$1'))
  if (text === '' || Number.isNaN(time)) throw new UnusableRecord(`${name} is not a time`)
  return new Date(time).toISOString()
}

/** A date (`YYYY-MM-DD`), null if there is none. Throws UnusableRecord for other values. */
export function dayOf(record: Fields, name: string): string | null {
  const value = record[name]
  if (value === undefined || value === null || value === '') return null
  if (
    typeof value !== 'string' ||
    !DAY.test(value.slice(0, 10)) ||
    Number.isNaN(Date.parse(value.slice(0, 10)))
  )
    throw new UnusableRecord(`${name} is not a day`)
  return value.slice(0, 10)
}

/** One of several words. Other values become `fallback`. */
export function choiceOf<const Word extends string>(
  record: Fields,
  name: string,
  words: readonly Word[],
  fallback: NoInfer<Word>,
): Word {
  const value = record[name]
  return words.find((word) => word === value) ?? fallback
}

/** The full SHA of a commit, null for other values. */
export function shaOf(record: Fields, name: string): string | null {
  const value = record[name]
  return typeof value === 'string' && /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(value) ? value : null
}

/** A nested record, null if there is none. */
export function childOf(record: Fields, name: string): Fields | null {
  const value = record[name]
  return isFields(value) ? value : null
}

/** The nested records in a list. Skips values that are no records. */
export function childrenOf(record: Fields, name: string): Fields[] {
  const value = record[name]
  return Array.isArray(value) ? value.filter(isFields) : []
}

export function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
