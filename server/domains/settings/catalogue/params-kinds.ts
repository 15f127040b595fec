import { z } from 'zod'

import { jsonSchemaOf, param, refuseInside, type Param } from '../../../http/param.ts'
import * as p from '../../../http/params.ts'
import type { About, Bounds, Choice, Kind, Typed } from './types.ts'

/** The kinds of settings. Each takes the value of a new instance, a label, a sentence of help, and what else is to be said. */

interface Parts<Value extends z.ZodType> {
  kind: Kind
  param: Param<unknown>
  value: Value
  initial: z.output<Value>
  bounds?: Bounds
  choices?: readonly Choice[]
}

/** Puts a declaration together. */
export function declare<Value extends z.ZodType>(
  parts: Parts<Value>,
  label: string,
  help: string,
  about: About,
): Typed<Value> {
  const clearable = parts.value.safeParse(null).success
  const described = (clearable ? parts.param.nullable() : parts.param)
    .optional()
    .describe(`${label}. ${help}`)
  return {
    param: described,
    value: parts.value,
    default: parts.initial,
    kind: parts.kind,
    label,
    help,
    bounds: parts.bounds ?? {},
    choices: parts.choices ?? null,
    clearable,
    about,
  }
}

/** A number with its limits in the schema; they are checked with the other rules (400 with the setting's name). */
function bounded(type: Param<number>, { min, max, above, under }: Bounds): Param<number> {
  const schema = {
    ...jsonSchemaOf(type),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(under === undefined ? {} : { exclusiveMaximum: under }),
  }
  return param(schema, (raw) => {
    const result = type.safeParse(raw)
    return result.success ? result.data : refuseInside(result.error)
  })
}

function boundsOf({ min, max, above, under }: Bounds): Bounds {
  return Object.fromEntries(
    Object.entries({ min, max, above, under }).filter(([, limit]) => limit !== undefined),
  )
}

/** On or off. */
export const flag = (initial: boolean, label: string, help: string, about: About = {}) =>
  declare({ kind: 'switch', param: p.bool(), value: z.boolean(), initial }, label, help, about)

/** A whole number. */
export const whole = (initial: number, label: string, help: string, about: About & Bounds = {}) =>
  declare(
    { kind: 'number', param: bounded(p.int(), about), value: z.int(), initial, bounds: boundsOf(about) },
    label,
    help,
    about,
  )

/** A whole number, or nothing at all. */
export const wholeOrNone = (
  initial: number | null,
  label: string,
  help: string,
  about: About & Bounds = {},
) =>
  declare(
    {
      kind: 'number',
      param: bounded(p.int(), about),
      value: z.int().nullable(),
      initial,
      bounds: boundsOf(about),
    },
    label,
    help,
    about,
  )

/** A decimal number. */
export const decimal = (initial: number, label: string, help: string, about: About & Bounds = {}) =>
  declare(
    {
      kind: 'decimal',
      param: bounded(p.decimal(), about),
      value: z.number(),
      initial,
      bounds: boundsOf(about),
    },
    label,
    help,
    about,
  )

/** A text of one line; null empties it. `max` characters are its limit (255). */
export const line = (
  initial: string | null,
  label: string,
  help: string,
  about: About & { max?: number } = {},
) => {
  const max = about.max ?? 255
  return declare(
    { kind: 'text', param: p.text(), value: z.string().nullable(), initial, bounds: { max } },
    label,
    help,
    about,
  )
}

/** A text that is never nothing. */
export const word = (initial: string, label: string, help: string, about: About & { max?: number } = {}) =>
  declare(
    { kind: 'text', param: p.text(), value: z.string(), initial, bounds: { max: about.max ?? 255 } },
    label,
    help,
    about,
  )

/** A Markdown text. */
export const prose = (
  initial: string | null,
  label: string,
  help: string,
  about: About & { max?: number } = {},
) =>
  declare(
    {
      kind: 'markdown',
      param: p.text(),
      value: z.string().nullable(),
      initial,
      bounds: { max: about.max ?? 100_000 },
    },
    label,
    help,
    about,
  )

/** One of some words, each with what the window calls it. */
export const oneOf = <const Words extends Readonly<Record<string, string>>>(
  words: Words,
  initial: keyof Words & string,
  label: string,
  help: string,
  about: About = {},
) => {
  const names = Object.keys(words) as (keyof Words & string)[]
  const choices = names.map((value) => ({ value, label: words[value]! as string }))
  return declare(
    { kind: 'choice', param: p.choice(...names), value: z.enum(names), initial: initial as never, choices },
    label,
    help,
    about,
  ) as unknown as Typed<z.ZodType<keyof Words & string>>
}

/** One of some whole numbers, each with what the window calls it. */
export const oneNumberOf = (
  choices: readonly (readonly [number, string])[],
  initial: number,
  label: string,
  help: string,
  about: About = {},
) =>
  declare(
    {
      kind: 'choice',
      param: p.intChoice(...choices.map(([value]) => value)),
      value: z.int(),
      initial,
      choices: choices.map(([value, text]) => ({ value, label: text })),
    },
    label,
    help,
    about,
  )

/** A kind of its own, where none of the others fits. */
export const special = <Value extends z.ZodType>(
  parts: Parts<Value>,
  label: string,
  help: string,
  about: About = {},
) => declare(parts, label, help, about)
