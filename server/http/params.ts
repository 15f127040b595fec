import { z } from 'zod'

/**
 * Parameter types. Each takes what arrives from a query string, a form or JSON and gives the value the endpoint works
 * with. The message of an issue is the tail of the contract's sentence ("is invalid"); the pipeline puts the name in
 * front (spec core 8.2). The JSON schema of each is set by hand, because a transform has none.
 */
export type Param<T> = z.ZodType<T>

/** An uploaded file, already on disk in the instance's temporary folder; removed when the request ends. */
export interface UploadedFile {
  readonly filename: string
  readonly type: string
  readonly path: string
  readonly size: number
  readonly sha256: string
}

/** JSON schemas of the transforms below, read by `openapi.ts`. */
export const paramSchemas = z.registry<{ schema: Record<string, unknown> }>()

const ABSENT = Symbol('absent')

/** `coerce` gives the value, ABSENT for "as good as not given", or throws the tail of the sentence. */
function param<T>(schema: Record<string, unknown>, coerce: (raw: unknown) => T | typeof ABSENT): Param<T> {
  const type = z.unknown().transform((raw, context): T => {
    const problem = (message: string): T => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    if (raw === undefined || raw === null) return problem('is missing')
    try {
      const value = coerce(raw)
      return value === ABSENT ? problem('is missing') : value
    } catch (error) {
      if (error instanceof Refusal) return problem(error.message)
      throw error
    }
  })
  paramSchemas.add(type, { schema })
  return type as unknown as Param<T>
}

class Refusal extends Error {}

function refuse(tail: string): never {
  throw new Refusal(tail)
}

/** NUL never belongs into text; SQLite, git and file names would each read it differently. */
function cleanText(raw: unknown): string {
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw)
  if (typeof raw !== 'string') return refuse('is invalid')
  if (raw.includes('\0')) return refuse('is invalid')
  return raw
}

/** Text of at most `max` characters (default 1 MB of UTF-16 units). */
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

/** A whole number; digits in a string are fine. `min`/`max` are limits of the value list, not of the type. */
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

/** true/false, 1/0, t/f, yes/no, y/n, on/off in any case; an empty string counts as not given (spec core 8.7). */
export function bool(): Param<boolean> {
  return param({ type: 'boolean' }, (raw) => {
    if (raw === '') return ABSENT
    const word = String(raw).toLowerCase()
    if (typeof raw === 'object') return refuse('is invalid')
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

const TIME = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i

/** ISO 8601 moment, or a day; given on as ISO 8601 UTC with milliseconds. */
export function timestamp(): Param<string> {
  return param({ type: 'string', format: 'date-time' }, (raw) => {
    if (raw === '') return ABSENT
    if (typeof raw !== 'string' || !TIME.test(raw)) return refuse('is invalid')
    const zoned = raw.length === 10 || /(Z|[+-]\d{2}:?\d{2})$/i.test(raw) ? raw : `${raw}Z`
    const ms = Date.parse(zoned.replace(' ', 'T'))
    return Number.isNaN(ms) ? refuse('is invalid') : new Date(ms).toISOString()
  })
}

/** A calendar day, `YYYY-MM-DD`; a moment is cut to its UTC day. */
export function day(): Param<string> {
  return param({ type: 'string', format: 'date' }, (raw) => {
    if (raw === '') return ABSENT
    if (typeof raw !== 'string' || !TIME.test(raw)) return refuse('is invalid')
    const ms = Date.parse(raw.slice(0, 10))
    // Date.parse rolls 31 February over into March; such a day is not one.
    const iso = Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 10)
    return iso === raw.slice(0, 10) ? iso : refuse('is invalid')
  })
}

/** `a[]=1&a[]=2`, a JSON array, or one comma string; `[]` and an empty string are an empty list. */
export function list<T>(item: Param<T>, options: { max?: number } = {}): Param<T[]> {
  const max = options.max ?? 1000
  return param({ type: 'array', items: jsonSchemaOf(item), maxItems: max }, (raw) => {
    const given =
      typeof raw === 'string' ? (raw === '' ? [] : raw.split(',').map((part) => part.trim())) : raw
    const items = typeof given === 'number' ? [given] : given
    if (!Array.isArray(items)) return refuse('is invalid')
    if (items.length > max) return refuse(`is too long (maximum is ${max} entries)`)
    const values: T[] = []
    for (const one of items) {
      if (one === '') continue
      const result = item.safeParse(one)
      if (!result.success) return refuse(tailOf(result.error))
      values.push(result.data)
    }
    return values
  })
}

/** A hash with declared keys (`position[base_sha]=…` or a JSON object). */
export function hash<const Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape> {
  return z.object(shape)
}

/** A hash with free keys and text values (`custom_attributes[key]=value`). */
export function dictionary(): Param<Record<string, string>> {
  return param({ type: 'object', additionalProperties: { type: 'string' } }, (raw) => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return refuse('is invalid')
    return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, cleanText(value)]))
  })
}

/** A part of a multipart body that has a file name. */
export function file(): Param<UploadedFile> {
  return param({ type: 'string', format: 'binary' }, (raw) => {
    const value = raw as UploadedFile
    return typeof value === 'object' && typeof value.path === 'string' && value.sha256
      ? value
      : refuse('is invalid')
  })
}

/** The hand-set schema of a parameter, looking through optional, nullable and default. */
export function jsonSchemaOf(type: z.ZodType): Record<string, unknown> {
  const found = paramSchemas.get(type)
  const description = type.description ? { description: type.description } : {}
  if (found) return { ...found.schema, ...description }
  if (type instanceof z.ZodOptional) return { ...jsonSchemaOf(type.unwrap() as z.ZodType), ...description }
  if (type instanceof z.ZodNullable) {
    const inner = jsonSchemaOf(type.unwrap() as z.ZodType)
    return { ...inner, type: [inner['type'], 'null'].flat(), ...description }
  }
  if (type instanceof z.ZodDefault) {
    return { ...jsonSchemaOf(type.unwrap() as z.ZodType), default: type.def.defaultValue, ...description }
  }
  if (type instanceof z.ZodObject) {
    const entries = Object.entries(type.shape as Record<string, z.ZodType>)
    const required = entries.filter(([, value]) => !isOptional(value)).map(([key]) => key)
    const properties = Object.fromEntries(entries.map(([key, value]) => [key, jsonSchemaOf(value)]))
    return { type: 'object', properties, ...(required.length > 0 ? { required } : {}), ...description }
  }
  return { ...description }
}

/** True when a parameter may be left out. */
export function isOptional(type: z.ZodType): boolean {
  return (
    type instanceof z.ZodOptional ||
    type instanceof z.ZodDefault ||
    (type instanceof z.ZodNullable && isOptional(type.unwrap() as z.ZodType))
  )
}

/** True when JSON null (or an empty form value) clears the value. */
export function isNullable(type: z.ZodType): boolean {
  if (type instanceof z.ZodNullable) return true
  return (
    (type instanceof z.ZodOptional || type instanceof z.ZodDefault) && isNullable(type.unwrap() as z.ZodType)
  )
}

function tailOf(error: z.ZodError): string {
  return error.issues[0]?.message ?? 'is invalid'
}

/** Every issue as a sentence of the contract: `name is missing`, `position[base_sha] is invalid`. */
export function sentences(error: z.ZodError): string[] {
  return error.issues.map((issue) => {
    const [first, ...rest] = issue.path.map(String)
    const name = [first ?? 'body', ...rest.map((part) => `[${part}]`)].join('')
    const tail = issue.code === 'custom' ? issue.message : 'is invalid'
    return `${name} ${tail}`
  })
}
