import { z } from 'zod'

import { jsonSchemaOf, param, refuseNested, type Param } from '../../../http/param.ts'
import * as p from '../../../http/params.ts'
import type { About, Bounds, Choice, Kind, Typed } from './types.ts'

/** The kinds of settings. Each function takes the default, a label, a help text, and further options. */

interface Parts<Value extends z.ZodType> {
  kind: Kind
  param: Param<unknown>
  value: Value
  initial: z.output<Value>
  bounds?: Bounds
  choices?: readonly Choice[]
}

const NO_EFFECT = 'This setting has no effect in Deskforge.'

/** Returns the help text of a setting. Settings that are only stored say so. */
export const helpOf = (help: string, about: About): string =>
  about.effect === 'echo' ? `${help} ${NO_EFFECT}`.trim() : help

/** Makes the declaration of a setting. */
export function declare<Value extends z.ZodType>(
  parts: Parts<Value>,
  label: string,
  help: string,
  about: About,
): Typed<Value> {
  // Parsing null with each of hundreds of settings takes a noticeable part of the start.
  const clearable = parts.value instanceof z.ZodNullable
  const explanation = helpOf(help, about)
  const unit = about.unit ? ` (${about.unit})` : ''
  const described = (clearable ? parts.param.nullable() : parts.param)
    .optional()
    .describe(`${label}${unit}. ${explanation}`)
  return {
    param: described,
    value: parts.value,
    default: parts.initial,
    kind: parts.kind,
    label,
    help: explanation,
    bounds: parts.bounds ?? {},
    choices: parts.choices ?? null,
    clearable,
    about,
  }
}

/** A number with its limits in the schema. The settings validation checks them (400 with the setting's name). */
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
    return result.success ? result.data : refuseNested(result.error)
  })
}

function boundsOf({ min, max, above, under }: Bounds): Bounds {
  return Object.fromEntries(
    Object.entries({ min, max, above, under }).filter(([, limit]) => limit !== undefined),
  )
}

/** A boolean. */
export const flag = (initial: boolean, label: string, help: string, about: About = {}) =>
  declare({ kind: 'switch', param: p.bool(), value: z.boolean(), initial }, label, help, about)

/** A whole number. */
export const integer = (initial: number, label: string, help: string, about: About & Bounds = {}) =>
  declare(
    { kind: 'number', param: bounded(p.int(), about), value: z.int(), initial, bounds: boundsOf(about) },
    label,
    help,
    about,
  )

/** A whole number, or null. */
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

/** A text of one line; null clears it. `max` is its maximum length (255 by default). */
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

/** A text that must not be empty. */
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

/** One of a fixed set of words, with their labels. */
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

/** One of a fixed set of whole numbers, with their labels. */
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

/** A setting of another kind. */
export const special = <Value extends z.ZodType>(
  parts: Parts<Value>,
  label: string,
  help: string,
  about: About = {},
) => declare(parts, label, help, about)
