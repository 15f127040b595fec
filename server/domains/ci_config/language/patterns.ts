import { RE2JS } from 're2js'
import { type PathPattern, matches } from '../../../lib/text/path-pattern.ts'

/** Returns a function that caches the last `limit` results of a pure function. */
export function memoized<Result>(compute: (text: string) => Result, limit: number): (text: string) => Result {
  const cache = new Map<string, Result>()
  return (text) => {
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    const result = compute(text)
    if (cache.size >= limit) cache.delete(cache.keys().next().value!)
    cache.set(text, result)
    return result
  }
}

/** A pattern that a user wrote, as `/…/flags`. A search takes linear time in the length of text and pattern. */
export interface Pattern {
  readonly source: string
  /** Whether the text contains a match. Also false for a text that is too long to search. */
  test(text: string): boolean
}

const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  s: RE2JS.DOTALL,
  m: RE2JS.MULTILINE,
}

const MAX_LENGTH = 10_000

/** The maximum size of a pattern's program times the length of the text, searched in some hundredths of a second. */
const MAX_WORK = 1_000_000

/** The pattern in a text such as `/^v\d+/i`. Null if it is not a pattern or re2 does not support it. */
export const patternOf: (text: string) => Pattern | null = memoized(compile, 500)

function compile(text: string): Pattern | null {
  const match = /^\/(.+)\/([ismU]*)$/s.exec(text)
  if (!match || text.length > MAX_LENGTH) return null
  const [body, flags] = [match[1]!, match[2]!]
  // A slash ends the pattern unless it is escaped.
  if (/(?<!\\)(?:\\\\)*\//.test(body) && !/^(?:[^\\/]|\\[\s\S])*$/.test(body)) return null
  try {
    const ungreedy = flags.includes('U') ? '(?U)' : ''
    const bits = [...flags].reduce((sum, flag) => sum | (FLAGS[flag] ?? 0), 0)
    const compiled = RE2JS.compile(ungreedy + body.replaceAll(String.raw`\/`, '/'), bits)
    const maxLength = MAX_WORK / compiled.programSize()
    return {
      source: text,
      test: (subject) => subject.length <= maxLength && compiled.matcher(subject).find(),
    }
  } catch {
    return null
  }
}

/** Whether a text has the form of a pattern, even an invalid one. */
export function looksLikePattern(text: string): boolean {
  return /^\/.*\/[ismU]*$/s.test(text)
}

const MAX_ALTERNATIVES = 200

/** A glob with the meaning of `fnmatch` with its path, dot and brace options (spec ci 4.7). */
export interface Glob {
  covers(path: string): boolean
}

/** Parses a glob. Of the alternatives in braces, only the first 200 are used. */
export function globOf(text: string): Glob {
  const patterns: PathPattern[] = alternatives(text).map((alternative) => ({
    segments: alternative.split('/'),
  }))
  return { covers: (path) => patterns.some((pattern) => matches(pattern, path)) }
}

/** Expands braces: `a{b,c}d` to `abd` and `acd`. Braces may be nested. */
function alternatives(text: string): string[] {
  const expanded: string[] = []
  const queue = [text]
  while (queue.length > 0 && expanded.length < MAX_ALTERNATIVES) {
    const glob = queue.shift()!
    const group = firstGroup(glob)
    if (!group) expanded.push(glob)
    else if (queue.length < MAX_ALTERNATIVES) {
      const [head, tail] = [glob.slice(0, group.from), glob.slice(group.to + 1)]
      queue.unshift(...group.alternatives.map((alternative) => head + alternative + tail))
    }
  }
  return expanded
}

/** A pair of braces: the offsets of both, and the alternatives between them. */
interface Group {
  readonly from: number
  readonly to: number
  readonly alternatives: readonly string[]
}

function firstGroup(text: string): Group | undefined {
  const from = text.search(/(?<!\\)\{/)
  if (from < 0) return undefined
  const alternativesSoFar: string[] = []
  let depth = 0
  let start = from + 1
  for (let index = from; index < text.length; index++) {
    const char = text[index]
    if (char === '\\') index++
    else if (char === '{') depth++
    else if (char === ',' && depth === 1) {
      alternativesSoFar.push(text.slice(start, index))
      start = index + 1
    } else if (char === '}' && --depth === 0) {
      return { from, to: index, alternatives: [...alternativesSoFar, text.slice(start, index)] }
    }
  }
  return undefined
}
