import { z } from 'zod'

/**
 * A parameter type. It converts a value from a query string, form or JSON to the value that the endpoint gets. An
 * issue's message is the end of the contract's sentence ("is invalid"); `sentences` adds the name (spec core 8.2). JSON
 * schemas are set by hand, because zod has none for a transform.
 */
export type Param<T> = z.ZodType<T>

/** The parameters of an endpoint, or of a hash inside one. */
export type ParamShape = Readonly<Record<string, z.ZodType>>

/** Returned by a coercion for a value that counts as missing. */
export const ABSENT = Symbol('absent')

/** JSON schemas of all parameters, read by `openapi.ts`. */
const schemas = z.registry<{ schema: Record<string, unknown> }>()

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

class Refusal extends Error {
  readonly issues: readonly Issue[]
  constructor(issues: readonly Issue[]) {
    super('refused')
    this.issues = issues
  }
}

/** Refuses a value with the end of a sentence. */
export function refuse(tail: string): never {
  throw new Refusal([{ path: [], message: tail }])
}

/** Refuses a value because of the part at `path`. */
export function refuseInside(error: z.ZodError, ...path: PropertyKey[]): never {
  throw new Refusal(error.issues.map((issue) => ({ path: [...path, ...issue.path], message: tailOf(issue) })))
}

/** Creates a parameter type. `coerce` returns the value or ABSENT, or refuses. */
export function param<T>(
  schema: Record<string, unknown>,
  coerce: (raw: unknown) => T | typeof ABSENT,
): Param<T> {
  const type = z.unknown().transform((raw, context): T => {
    const problem = (...issues: Issue[]): T => {
      for (const { path, message } of issues) context.addIssue({ code: 'custom', message, path: [...path] })
      return z.NEVER
    }
    const missing = { path: [], message: 'is missing' }
    if (raw === undefined || raw === null) return problem(missing)
    try {
      const value = coerce(raw)
      return value === ABSENT ? problem(missing) : value
    } catch (error) {
      if (error instanceof Refusal) return problem(...error.issues)
      throw error
    }
  })
  schemas.add(type, { schema })
  return type as unknown as Param<T>
}

/** The JSON schema of a parameter, through optional, nullable and default. */
export function jsonSchemaOf(type: z.ZodType): Record<string, unknown> {
  const found = schemas.get(type)
  const description = type.description ? { description: type.description } : {}
  if (found) return { ...found.schema, ...description }
  if (type instanceof z.ZodOptional) return { ...jsonSchemaOf(type.unwrap() as z.ZodType), ...description }
  if (type instanceof z.ZodNullable) {
    const inner = jsonSchemaOf(type.unwrap() as z.ZodType)
    const words = Array.isArray(inner['enum']) ? { enum: [...inner['enum'], null] } : {}
    return { ...inner, ...words, type: [inner['type'], 'null'].flat(), ...description }
  }
  if (type instanceof z.ZodDefault) {
    return { ...jsonSchemaOf(type.unwrap() as z.ZodType), default: type.def.defaultValue, ...description }
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

/**
 * True for types where an empty string means "not given": numbers, booleans, dates and choices. Empty texts and lists
 * are values.
 */
function isBlankable(type: z.ZodType): boolean {
  const schema = jsonSchemaOf(type)
  if (schema['enum'] || schema['format'] === 'date' || schema['format'] === 'date-time') return true
  const [name] = [schema['type'] ?? 'object'].flat()
  return name !== 'string' && name !== 'array' && name !== 'object'
}

/**
 * Picks the declared parameters. Null (and an empty string, except for texts, lists and hashes) clears a nullable
 * parameter and otherwise counts as missing (spec core 8.7).
 */
export function pickerOf(
  shape: ParamShape,
): (given: Readonly<Record<string, unknown>>) => Record<string, unknown> {
  const rules = Object.entries(shape).map(([name, type]) => ({
    name,
    nullable: isNullable(type),
    blankable: isBlankable(type),
  }))
  return (given) => {
    const picked: Record<string, unknown> = {}
    for (const { name, nullable, blankable } of rules) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined
      const isBlank = value === null || (value === '' && blankable)
      if (isBlank && nullable) picked[name] = null
      else if (!isBlank && value !== undefined) picked[name] = value
    }
    return picked
  }
}

function tailOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'custom' ? issue.message : 'is invalid'
}

/** Every issue as a sentence of the contract: `name is missing`, `actions[0][action] is invalid`. */
export function sentences(error: z.ZodError): string[] {
  return error.issues.map((issue) => {
    const [first, ...rest] = issue.path.map(String)
    return `${first ?? 'body'}${rest.map((part) => `[${part}]`).join('')} ${tailOf(issue)}`
  })
}
