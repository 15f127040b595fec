import { z } from 'zod'

import { jsonSchemaOf, param, refuse, refuseNested } from '../../../http/param.ts'
import * as p from '../../../http/params.ts'
import { declare } from './params-kinds.ts'
import type { SettingOptions, TypedSetting } from './types.ts'

// Functions that declare settings with several values.

/**
 * A list of texts. A request sends an array or a comma-separated text. `max` limits the number of entries (default:
 * 1000).
 */
export const list = (
  initial: readonly string[],
  label: string,
  help: string,
  about: SettingOptions & { max?: number } = {},
) =>
  declare(
    {
      kind: 'list',
      param: p.list(p.text({ max: 1024 }), { max: 100_000 }),
      value: z.array(z.string()),
      initial: [...initial],
      bounds: { max: about.max ?? 1000 },
    },
    label,
    help,
    about,
  )

/** A list of whole numbers. */
export const numbers = (
  initial: readonly number[],
  label: string,
  help: string,
  about: SettingOptions & { max?: number } = {},
) =>
  declare(
    {
      kind: 'numbers',
      param: p.list(p.int(), { max: 100_000 }),
      value: z.array(z.int()),
      initial: [...initial],
      bounds: { max: about.max ?? 1000 },
    },
    label,
    help,
    about,
  )

/** Several of a fixed set of words. */
export const multipleChoice = <const Words extends Readonly<Record<string, string>>>(
  words: Words,
  initial: readonly (keyof Words & string)[],
  label: string,
  help: string,
  about: SettingOptions = {},
) => {
  const names = Object.keys(words) as (keyof Words & string)[]
  return declare(
    {
      kind: 'choices',
      param: p.list(p.choice(...names)),
      value: z.array(z.enum(names)),
      initial: [...initial] as never,
      choices: names.map((value) => ({ value, label: words[value]! as string })),
    },
    label,
    help,
    about,
  ) as unknown as TypedSetting<z.ZodType<(keyof Words & string)[]>>
}

/** An object that maps any names to whole numbers. */
export const weights = (
  initial: Record<string, number>,
  label: string,
  help: string,
  about: SettingOptions = {},
) =>
  declare(
    {
      kind: 'weights',
      param: param<Record<string, number>>(
        { type: 'object', additionalProperties: { type: 'integer' } },
        (raw) => {
          if (!isObject(raw)) return refuse('is invalid')
          const pairs = Object.entries(raw).map(([name, weight]) => [name, Number(weight)] as const)
          return pairs.every(([, weight]) => Number.isInteger(weight))
            ? Object.fromEntries(pairs)
            : refuse('is invalid')
        },
      ),
      value: z.record(z.string(), z.int()),
      initial,
    },
    label,
    help,
    about,
  )

/** An object with a fixed set of booleans. Absent ones are false. */
export const switches = <const Names extends readonly string[]>(
  names: Names,
  label: string,
  help: string,
  about: SettingOptions = {},
) => {
  const shape = Object.fromEntries(names.map((name) => [name, p.bool().optional()]))
  const allFalse = Object.fromEntries(names.map((name) => [name, false]))
  const input = p.hash(shape)
  return declare(
    {
      kind: 'switches',
      param: param<Record<string, boolean>>(jsonSchemaOf(input), (raw) => {
        const result = input.safeParse(raw)
        return result.success
          ? { ...allFalse, ...(result.data as Record<string, boolean>) }
          : refuseNested(result.error)
      }),
      value: z.record(z.string(), z.boolean()),
      initial: allFalse,
      choices: names.map((value) => ({ value, label: value })),
    },
    label,
    help,
    about,
  )
}

/** A JSON object of at most 10,000 characters. */
export const object = (
  initial: Record<string, unknown>,
  label: string,
  help: string,
  about: SettingOptions = {},
) =>
  declare(
    {
      kind: 'object',
      param: param<Record<string, unknown>>({ type: 'object' }, (raw) =>
        isObject(raw) && JSON.stringify(raw).length <= 10_000 ? raw : refuse('is invalid'),
      ),
      value: z.record(z.string(), z.unknown()),
      initial,
    },
    label,
    help,
    about,
  )

function isObject(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
}
