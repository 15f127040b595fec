import {
  ABSENT,
  param,
  readerOf,
  refuse,
  refuseNested,
  type Param,
  type ParamShape,
  type Values,
} from './param.ts'
import { isReceived } from './request/upload.ts'
import type { UploadedFile } from '../lib/files/uploaded-file.ts'

/** Refuses NUL, which SQLite, git and file names treat differently, and lone surrogates, which have no UTF-8 form. */
function cleanText(raw: unknown): string {
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw)
  if (typeof raw !== 'string' || raw.includes('\0') || !raw.isWellFormed()) return refuse('is invalid')
  return raw
}

/** Text of at most `max` UTF-16 units (default 1,048,576). */
export function text(options: { max?: number; notEmpty?: boolean } = {}): Param<string> {
  const max = options.max ?? 1_048_576
  const schema = { type: 'string', maxLength: max, ...(options.notEmpty ? { minLength: 1 } : {}) }
  return param(schema, (raw) => {
    const value = cleanText(raw)
    if (options.notEmpty && value.trim() === '') return refuse('is empty')
    if (value.length > max) return refuse(`is too long (maximum is ${max} characters)`)
    return value
  })
}

/**
 * A whole number, also as a string of digits. `min` and `max` have their own refusal, "does not have a valid value".
 */
export function int(options: { min?: number; max?: number; not?: readonly number[] } = {}): Param<number> {
  const schema = {
    type: 'integer',
    ...(options.min === undefined ? {} : { minimum: options.min }),
    ...(options.max === undefined ? {} : { maximum: options.max }),
  }
  return param(schema, (raw) => {
    if (raw === '') return ABSENT
    const value =
      typeof raw === 'number'
        ? raw
        : typeof raw === 'string' && /^\s*[+-]?\d{1,16}\s*$/.test(raw)
          ? Number(raw)
          : NaN
    if (!Number.isSafeInteger(value)) return refuse('is invalid')
    if (options.not?.includes(value)) return refuse('has a value not allowed')
    if (value < (options.min ?? -Infinity) || value > (options.max ?? Infinity))
      return refuse('does not have a valid value')
    return value
  })
}

/** A decimal number. */
export function decimal(options: { min?: number; max?: number } = {}): Param<number> {
  return param({ type: 'number' }, (raw) => {
    if (raw === '') return ABSENT
    const value =
      typeof raw === 'number'
        ? raw
        : typeof raw === 'string' && /^\s*[+-]?\d{1,15}(\.\d{1,15})?\s*$/.test(raw)
          ? Number(raw)
          : NaN
    if (!Number.isFinite(value)) return refuse('is invalid')
    if (value < (options.min ?? -Infinity) || value > (options.max ?? Infinity))
      return refuse('does not have a valid value')
    return value
  })
}

const TRUE = new Set(['true', '1', 't', 'yes', 'y', 'on'])
const FALSE = new Set(['false', '0', 'f', 'no', 'n', 'off'])

/** true/false, 1/0, t/f, yes/no, y/n, on/off in any case. An empty string counts as missing (spec core 8.7). */
export function bool(): Param<boolean> {
  return param({ type: 'boolean' }, (raw) => {
    if (raw === '') return ABSENT
    if (typeof raw !== 'string' && typeof raw !== 'number' && typeof raw !== 'boolean')
      return refuse('is invalid')
    const word = String(raw).toLowerCase()
    return TRUE.has(word) ? true : FALSE.has(word) ? false : refuse('is invalid')
  })
}

/** One of a list of words. */
export function choice<const Values extends readonly string[]>(...values: Values): Param<Values[number]> {
  return param({ type: 'string', enum: values }, (raw) =>
    typeof raw === 'string' && values.includes(raw)
      ? (raw as Values[number])
      : refuse('does not have a valid value'),
  )
}

/** One of a list of whole numbers. */
export function intChoice<const Values extends readonly number[]>(...values: Values): Param<Values[number]> {
  return param({ type: 'integer', enum: values }, (raw) => {
    const value = typeof raw === 'string' && /^-?\d{1,9}$/.test(raw) ? Number(raw) : raw
    if (typeof value !== 'number') return refuse('is invalid')
    return values.includes(value) ? (value as Values[number]) : refuse('does not have a valid value')
  })
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$/i

/** Splits a time or a day into date, time of day and zone. Refuses invalid text and days that do not exist. */
function splitTime(raw: unknown): { date: string; clock: string; zone: string } {
  const [, date, clock = '00:00', zone = 'Z'] = (typeof raw === 'string' && TIME.exec(raw)) || []
  const ms = date === undefined ? NaN : Date.parse(date)
  // Date.parse turns 31 February into a day in March.
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(date!)) return refuse('is invalid')
  return { date: date!, clock, zone: zone.toUpperCase() }
}

/** An ISO 8601 time or a day, returned as ISO 8601 UTC with milliseconds. */
export function timestamp(): Param<string> {
  return param({ type: 'string', format: 'date-time' }, (raw) => {
    if (raw === '') return ABSENT
    const { date, clock, zone } = splitTime(raw)
    const ms = Date.parse(`${date}T${clock}${zone}`)
    const iso = Number.isNaN(ms) ? '' : new Date(ms).toISOString()
    // The conversion to UTC may lead to a year that the format of answers does not allow.
    return iso.length === 24 ? iso : refuse('is invalid')
  })
}

/** A calendar day, `YYYY-MM-DD`. Of a time, only the day counts. */
export function day(): Param<string> {
  return param({ type: 'string', format: 'date' }, (raw) => (raw === '' ? ABSENT : splitTime(raw).date))
}

/** `a[]=1&a[]=2`, a JSON array, or one text with commas. `[]` and an empty string are an empty list. */
export function list<T>(item: Param<T>, options: { max?: number } = {}): Param<T[]> {
  const max = options.max ?? 1000
  return param({ type: 'array', items: item.schema, maxItems: max }, (raw) => {
    const elements =
      typeof raw === 'string' ? (raw === '' ? [] : raw.split(',').map((part) => part.trim())) : raw
    const items = typeof elements === 'number' ? [elements] : elements
    if (!Array.isArray(items)) return refuse('is invalid')
    if (items.length > max) return refuse(`is too long (maximum is ${max} entries)`)
    const values: T[] = []
    for (const [index, element] of items.entries()) {
      if (element === '') continue
      const result = item.safeParse(element)
      // The error sentence names the list, and for an item that is a hash also its index (spec core 8.2).
      const isInside = result.error?.issues.some((issue) => issue.path.length > 0)
      if (!result.success) return refuseNested(result.error, ...(isInside ? [index] : []))
      values.push(result.data)
    }
    return values
  })
}

/** True for an object of JSON or of a nested form. */
function isHash(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw) && !isReceived(raw)
}

/** A hash with declared keys (`position[base_sha]=…` or a JSON object). */
export function hash<const Shape extends ParamShape>(shape: Shape): Param<Values<Shape>> {
  const properties = Object.fromEntries(Object.entries(shape).map(([key, type]) => [key, type.schema]))
  const required = Object.keys(shape).filter((key) => !shape[key]!.isOptional)
  const read = readerOf(shape)
  const schema = { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
  return param(schema, (raw) => {
    if (!isHash(raw)) return refuse('is invalid')
    const { values, issues } = read(raw)
    return issues.length === 0 ? (values as Values<Shape>) : refuseNested({ issues })
  })
}

/** A hash with free keys and text values (`custom_attributes[key]=value`). */
export function dictionary(): Param<Record<string, string>> {
  return param({ type: 'object', additionalProperties: { type: 'string' } }, (raw) => {
    if (!isHash(raw)) return refuse('is invalid')
    return Object.fromEntries(Object.entries(raw).map(([key, value]) => [cleanText(key), cleanText(value)]))
  })
}

/** A file of a multipart body. */
export function file(): Param<UploadedFile> {
  return param({ type: 'string', format: 'binary' }, (raw) => (isReceived(raw) ? raw : refuse('is invalid')))
}

/** A file, or an empty text that removes the current one (`avatar=`). */
export function fileOrNone(): Param<UploadedFile | null> {
  const schema = { type: 'string', format: 'binary' }
  return param<UploadedFile | null>(schema, (raw) =>
    isReceived(raw) ? raw : raw === '' ? null : refuse('is invalid'),
  )
}

/** Declares parameters that only some variants of an endpoint have. For the other variants, their values are undefined. */
export function paramsIf<Shape extends ParamShape>(isDeclared: boolean, shape: Shape): Shape {
  return isDeclared ? shape : ({} as Shape)
}
