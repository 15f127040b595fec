import { z } from 'zod'

import { jsonSchemaOf, param, refuseNested, type Param } from '../../../http/param.ts'
import * as p from '../../../http/params.ts'
import type { SettingOptions, Bounds, Choice, Kind, TypedSetting } from './types.ts'

// Functions that declare settings of one kind. Each takes the default value, a label, a help text, and options.

interface SettingParts<Value extends z.ZodType> {
  kind: Kind
  param: Param<unknown>
  value: Value
  initial: z.output<Value>
  bounds?: Bounds
  choices?: readonly Choice[]
}

const NO_EFFECT = 'This setting has no effect in Deskforge.'

/** Returns the help text of a setting. It mentions if the setting is only stored. */
export const helpOf = (help: string, about: SettingOptions): string =>
  about.effect === 'echo' ? `${help} ${NO_EFFECT}`.trim() : help

/** Returns the declaration of a setting. */
export function declare<Value extends z.ZodType>(
  parts: SettingParts<Value>,
  label: string,
  help: string,
  about: SettingOptions,
): TypedSetting<Value> {
  // A test of the type is faster than parsing null, which takes noticeable time at the start for hundreds of
  // settings.
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

/** Adds limits to the schema of a number. The validation of settings checks them: its 400 names the setting. */
function withBounds(type: Param<number>, { min, max, above, under }: Bounds): Param<number> {
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
export const flag = (initial: boolean, label: string, help: string, about: SettingOptions = {}) =>
  declare({ kind: 'switch', param: p.bool(), value: z.boolean(), initial }, label, help, about)

/** A whole number. */
export const integer = (initial: number, label: string, help: string, about: SettingOptions & Bounds = {}) =>
  declare(
    { kind: 'number', param: withBounds(p.int(), about), value: z.int(), initial, bounds: boundsOf(about) },
    label,
    help,
    about,
  )

/** A whole number, or null. */
export const integerOrNull = (
  initial: number | null,
  label: string,
  help: string,
  about: SettingOptions & Bounds = {},
) =>
  declare(
    {
      kind: 'number',
      param: withBounds(p.int(), about),
      value: z.int().nullable(),
      initial,
      bounds: boundsOf(about),
    },
    label,
    help,
    about,
  )

/** A decimal number. */
export const decimal = (initial: number, label: string, help: string, about: SettingOptions & Bounds = {}) =>
  declare(
    {
      kind: 'decimal',
      param: withBounds(p.decimal(), about),
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
  about: SettingOptions & { max?: number } = {},
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
export const requiredText = (
  initial: string,
  label: string,
  help: string,
  about: SettingOptions & { max?: number } = {},
) =>
  declare(
    { kind: 'text', param: p.text(), value: z.string(), initial, bounds: { max: about.max ?? 255 } },
    label,
    help,
    about,
  )

/** A Markdown text. */
export const markdown = (
  initial: string | null,
  label: string,
  help: string,
  about: SettingOptions & { max?: number } = {},
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

/** One of a fixed set of words. `words` maps each word to its label. */
export const singleChoice = <const Words extends Readonly<Record<string, string>>>(
  words: Words,
  initial: keyof Words & string,
  label: string,
  help: string,
  about: SettingOptions = {},
) => {
  const names = Object.keys(words) as (keyof Words & string)[]
  const choices = names.map((value) => ({ value, label: words[value]! as string }))
  return declare(
    { kind: 'choice', param: p.choice(...names), value: z.enum(names), initial: initial as never, choices },
    label,
    help,
    about,
  ) as unknown as TypedSetting<z.ZodType<keyof Words & string>>
}

/** One of a fixed set of whole numbers, each with its label. */
export const numberChoice = (
  choices: readonly (readonly [number, string])[],
  initial: number,
  label: string,
  help: string,
  about: SettingOptions = {},
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

/** A setting with a type of its own. */
export const custom = <Value extends z.ZodType>(
  parts: SettingParts<Value>,
  label: string,
  help: string,
  about: SettingOptions = {},
) => declare(parts, label, help, about)
