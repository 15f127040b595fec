import type { z } from 'zod'

import type { Positions, Problem } from './document.ts'
import { worldSchema } from './schema.ts'

type Issue = z.core.$ZodIssue

/** Converts the errors of the schema into problems with positions in the text. */
export function schemaProblems(issues: readonly Issue[], root: unknown, positions: Positions): Problem[] {
  // A misspelled key comes first, because it causes the error about a missing key.
  const sorted = issues.toSorted(
    (a, b) => Number(b.code === 'unrecognized_keys') - Number(a.code === 'unrecognized_keys'),
  )
  return sorted.flatMap((issue) => problemsOf(issue, root, positions))
}

function problemsOf(issue: Issue, root: unknown, positions: Positions): Problem[] {
  const path = pathText(issue.path)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      ...positions.find(root, [...issue.path, key], 'key'),
      path: pathText([...issue.path, key]),
      message: unknownKey(key, issue.path),
    }))
  if (issue.code === 'invalid_key')
    return [{ ...positions.find(root, issue.path, 'key'), path, message: 'This key is empty or too long.' }]
  if (issue.code === 'invalid_union') {
    const [deepest] = issue.errors.flat().toSorted((a, b) => b.path.length - a.path.length)
    if (deepest && deepest.path.length > 0)
      return problemsOf({ ...deepest, path: [...issue.path, ...deepest.path] } as Issue, root, positions)
  }
  const at = positions.find(root, issue.path)
  return [{ ...at, path, message: sentence(issue, valueAt(root, issue.path), path) }]
}

function sentence(issue: Issue, value: unknown, path: string): string {
  const name = path === '' ? 'The world' : path.split('.').at(-1)!
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return `${name} is missing.`
      return `${name} must be ${KINDS[issue.expected] ?? issue.expected}, not ${kindOf(value, issue.expected)}.`
    case 'invalid_value': {
      const words = issue.values.map(String)
      const suggestion = typeof value === 'string' ? nearest(value, words) : undefined
      const problem = value === undefined ? 'is missing' : `cannot be ${JSON.stringify(value)}`
      return `${name} ${problem}; ${suggestion ? `did you mean ${suggestion}? ` : ''}It is ${list(words)}.`
    }
    case 'invalid_format':
      return issue.message.startsWith('is ') ? `${name} ${issue.message}.` : `${name} has a wrong format.`
    case 'too_small':
      return issue.origin === 'string'
        ? `${name} is too short.`
        : `${name} must be at least ${issue.minimum}.`
    case 'too_big':
      return issue.origin === 'string' ? `${name} is too long.` : `${name} must be at most ${issue.maximum}.`
    case 'invalid_union':
      return `${name} has a wrong type: ${kindOf(value)}.`
    default:
      return `${name}: ${issue.message}.`
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys',
  record: 'a map of keys',
}

function kindOf(value: unknown, expected?: string): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map of keys'
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 40))}`
  return expected === 'int' ? String(value) : `${String(value)} (put it in quotes for a text)`
}

function unknownKey(key: string, path: readonly PropertyKey[]): string {
  const keys = keysAt(path)
  const suggestion = nearest(key, keys)
  return `The key "${key}" is unknown here${suggestion ? `; did you mean "${suggestion}"?` : `. Known keys are ${list(keys)}.`}`
}

interface SchemaDef {
  shape?: Record<string, z.core.$ZodType>
  innerType?: z.core.$ZodType
  element?: z.core.$ZodType
  valueType?: z.core.$ZodType
  options?: readonly z.core.$ZodType[]
}

/** The keys that the schema has at a path. */
function keysAt(path: readonly PropertyKey[]): string[] {
  let types: z.core.$ZodType[] = [worldSchema]
  for (const key of path) types = types.flatMap(unwrap).flatMap((type) => childrenOf(type, key))
  return types.flatMap(unwrap).flatMap((type) => Object.keys(defOf(type).shape ?? {}))
}

const defOf = (type: z.core.$ZodType): SchemaDef => type._zod.def as SchemaDef

function unwrap(type: z.core.$ZodType): z.core.$ZodType[] {
  const { innerType, options } = defOf(type)
  if (innerType) return unwrap(innerType)
  return options ? options.flatMap(unwrap) : [type]
}

function childrenOf(type: z.core.$ZodType, key: PropertyKey): z.core.$ZodType[] {
  const { shape, element, valueType } = defOf(type)
  const inner = shape?.[String(key)] ?? element ?? valueType
  return inner ? [inner] : []
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    root,
  )
}

/** `projects[0].issues[2].author`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? String(key) : `${text}.${String(key)}`
  }, '')
}

/** The most similar name; undefined if none is similar enough. */
export function nearest(text: string, names: readonly string[]): string | undefined {
  const lowercase = text.toLowerCase()
  const [best] = names
    .slice(0, 5000)
    .map((name) => ({ name, edits: distance(lowercase, name.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits)
  return best && best.edits <= Math.max(1, Math.ceil(text.length / 3)) ? best.name : undefined
}

/** The number of characters that differ (Levenshtein distance). */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 4) return 99
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}

function list(words: readonly string[]): string {
  if (words.length <= 1) return words.join('')
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
