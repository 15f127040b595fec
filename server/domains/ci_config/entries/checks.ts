import {
  isHash,
  isInteger,
  isList,
  isScalar,
  isText,
  isTexts,
  secondsOf,
  type Value,
} from '../language/values.ts'
import type { Node } from './node.ts'

const MAX_NESTING = 10

/** Returns whether the node is a mapping, and reports an error if not. */
export function requireHash(node: Node): boolean {
  if (isHash(node.value)) return true
  node.configError('should be a hash')
  return false
}

/** Reports unknown keys of a mapping. */
export function allowedKeys(node: Node, keys: ReadonlySet<string>): void {
  const unknown = [...node.hash.keys()].filter((key) => !keys.has(key))
  if (unknown.length > 0) node.configError(`contains unknown keys: ${unknown.join(', ')}`)
}

/** A rule for the value of a key. Returns the error message for an invalid value, or false. */
export type Rule = (value: Value) => string | false

/** Checks keys of a node in the order of the rules. Null counts as absent. */
export function attributes(node: Node, rules: Readonly<Record<string, Rule | readonly Rule[]>>): void {
  for (const [name, input] of Object.entries(rules)) {
    const value = node.get(name)
    if (value === null) continue
    for (const rule of [input].flat() as Rule[]) {
      const message = rule(value)
      if (message) node.attributeError(name, message)
    }
  }
}

const ruleFor =
  (isValid: (value: Value) => boolean, message: string): Rule =>
  (value) =>
    !isValid(value) && message

export const text = ruleFor(isText, 'should be a string')
export const bool = ruleFor((value) => typeof value === 'boolean', 'should be a boolean value')
export const mapping = ruleFor(isHash, 'should be a hash')
export const texts = ruleFor(isTexts, 'should be an array of strings')
export const textOrTexts = ruleFor(
  (value) => isText(value) || isTexts(value),
  'should be an array of strings or a string',
)
export const scalar = ruleFor(isScalar, 'should be a string')
export const duration = ruleFor((value) => seconds(value) !== null, 'should be a duration')
export const durationOrNever = ruleFor(
  (value) => seconds(value) !== null || (isText(value) && value.toLowerCase() === 'never'),
  'should be a duration',
)
export const expression = (isValid: (text: string) => boolean): Rule =>
  ruleFor((value) => isText(value) && isValid(value), 'invalid expression syntax')

/** A duration of at most `limit` seconds. */
export function maxDuration(limit: number): Rule {
  return (value) => {
    const length = seconds(value)
    if (length === null) return 'should be a duration'
    return length > limit && 'should not exceed the limit'
  }
}

/** One of these texts. */
export function oneOf(...values: readonly string[]): Rule {
  return ruleFor((value) => isText(value) && values.includes(value), `should be one of: ${values.join(', ')}`)
}

/** A text of at most `length` characters. */
export function maxLength(length: number): Rule {
  return (value) => isText(value) && value.length > length && `is too long (maximum is ${length} characters)`
}

/** A list of at most `count` entries. */
export function maxEntries(count: number): Rule {
  return (value) => isList(value) && value.length > count && `has too many entries (maximum ${count})`
}

/** The seconds of a duration, or null for any other value. */
export function seconds(value: Value): number | null {
  return isText(value) ? secondsOf(value) : isInteger(value) && value >= 0 ? Number(value) : null
}

/** Whether a value is a list of valid items, in nested lists up to ten levels deep. */
export function isNested(value: Value, isValid: (item: Value) => boolean, depth = 0): boolean {
  if (!isList(value)) return false
  if (depth >= MAX_NESTING) return false
  return value.every((item) => isValid(item) || isNested(item, isValid, depth + 1))
}

/** All items of nested lists. */
export function flatten(value: Value): Value[] {
  return isList(value) ? value.flatMap(flatten) : [value]
}
