import { catalogue } from '../catalogue.ts'
import { secretSettings } from '../catalogue/secrets.ts'
import type { Bounds, Setting } from '../catalogue/setting.ts'
import type { Problem } from './problem.ts'

const NUMBERS: readonly [keyof Bounds, (value: number, limit: number) => boolean, string][] = [
  ['above', (value, limit) => value > limit, 'must be greater than'],
  ['min', (value, limit) => value >= limit, 'must be greater than or equal to'],
  ['max', (value, limit) => value <= limit, 'must be less than or equal to'],
  ['under', (value, limit) => value < limit, 'must be less than'],
]

function problemOf(bounds: Bounds, value: unknown): string | undefined {
  if (typeof value === 'number') {
    const broken = NUMBERS.find(([name, holds]) => bounds[name] !== undefined && !holds(value, bounds[name]))
    return broken && `${broken[2]} ${bounds[broken[0]]}`
  }
  if (bounds.max === undefined) return undefined
  if (typeof value === 'string' && value.length > bounds.max)
    return `is too long (maximum is ${bounds.max} characters)`
  if (Array.isArray(value) && value.length > bounds.max)
    return `is too long (maximum is ${bounds.max} entries)`
  return undefined
}

/** Limits that each changed value has for itself (spec administration 1.2). */
export function bounds(changes: Readonly<Record<string, unknown>>): Problem[] {
  return Object.entries(changes).flatMap(([name, value]): Problem[] => {
    const secret = (secretSettings as Readonly<Record<string, { max: number }>>)[name]
    const limits = secret
      ? { max: secret.max }
      : (catalogue as Readonly<Record<string, Setting>>)[name]?.bounds
    const text = problemOf(limits ?? {}, value)
    return text === undefined ? [] : [[name, text]]
  })
}
