import { secondsOf } from '../language/values.ts'
import { isHash, isInteger, isList, isScalar, isText, isTexts, type Value } from '../language/values.ts'
import type { Node } from './node.ts'

const MAX_NESTING = 10

/** True for a mapping; reports any other value. */
export function hash(node: Node): boolean {
  if (isHash(node.value)) return true
  node.config('should be a hash')
  return false
}

/** Reports unknown keys of a mapping. */
export function allowedKeys(node: Node, keys: ReadonlySet<string>): void {
  const unknown = [...node.hash.keys()].filter((key) => !keys.has(key))
  if (unknown.length > 0) node.config(`contains unknown keys: ${unknown.join(', ')}`)
}

/** A rule about a key's value: returns the message for a wrong one, or nothing. Null counts as not given. */
export type Rule = (value: Value) => string | false

/** Checks keys of a node, in the order they are listed. */
export function attributes(node: Node, rules: Readonly<Record<string, Rule | readonly Rule[]>>): void {
  for (const [name, input] of Object.entries(rules)) {
    const value = node.get(name)
    if (value === null) continue
    for (const rule of [input].flat() as Rule[]) {
      const words = rule(value)
      if (words) node.attribute(name, words)
    }
  }
}

const otherwise =
  (is: (value: Value) => boolean, words: string): Rule =>
  (value) =>
    !is(value) && words

export const text = otherwise(isText, 'should be a string')
export const bool = otherwise((value) => typeof value === 'boolean', 'should be a boolean value')
export const mapping = otherwise(isHash, 'should be a hash')
export const texts = otherwise(isTexts, 'should be an array of strings')
export const textOrTexts = otherwise(
  (value) => isText(value) || isTexts(value),
  'should be an array of strings or a string',
)
export const scalar = otherwise(isScalar, 'should be a string')
export const duration = otherwise((value) => seconds(value) !== null, 'should be a duration')
export const durationOrNever = otherwise(
  (value) => seconds(value) !== null || (isText(value) && value.toLowerCase() === 'never'),
  'should be a duration',
)
export const expression = (isValid: (text: string) => boolean): Rule =>
  otherwise((value) => isText(value) && isValid(value), 'invalid expression syntax')

/** A duration below a limit in seconds. */
export function durationUpTo(limit: number): Rule {
  return (value) => {
    const period = seconds(value)
    if (period === null) return 'should be a duration'
    return period > limit && 'should not exceed the limit'
  }
}

/** `should be one of: a, b`. */
export function oneOf(...values: readonly string[]): Rule {
  return otherwise(
    (value) => isText(value) && values.includes(value),
    `should be one of: ${values.join(', ')}`,
  )
}

/** At most so many characters. */
export function upTo(length: number): Rule {
  return (value) => isText(value) && value.length > length && `is too long (maximum is ${length} characters)`
}

/** At most so many entries. */
export function entriesUpTo(count: number): Rule {
  return (value) => isList(value) && value.length > count && `has too many entries (maximum ${count})`
}

/** Seconds of a value that is a duration, or null. */
export function seconds(value: Value): number | null {
  return isText(value) ? secondsOf(value) : isInteger(value) && value >= 0 ? Number(value) : null
}

/** True for texts in nested lists, up to ten deep. */
export function isNested(value: Value, is: (item: Value) => boolean, depth = 0): boolean {
  if (!isList(value)) return false
  if (depth >= MAX_NESTING) return false
  return value.every((item) => is(item) || isNested(item, is, depth + 1))
}

/** All items of nested lists. */
export function flatten(value: Value): Value[] {
  return isList(value) ? value.flatMap(flatten) : [value]
}
