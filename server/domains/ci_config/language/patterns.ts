import { RE2JS } from 're2js'
import { type PathPattern, matches } from '../../../lib/text/path-pattern.ts'

/** Caches the `limit` most recent results of a pure function. */
export function remembered<Result>(
  compute: (text: string) => Result,
  limit: number,
): (text: string) => Result {
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

/** A pattern of a user, as `/…/flags`. The engine takes linear time in the length of text and pattern. */
export interface Pattern {
  readonly source: string
  /** True if the text contains a match; false also for a text that is too long to search. */
  test(text: string): boolean
}

const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  s: RE2JS.DOTALL,
  m: RE2JS.MULTILINE,
}

const MAX_LENGTH = 10_000

/** Steps of a pattern times characters of a text: some hundredths of a second. */
const MAX_WORK = 1_000_000
/** The pattern in a text such as `/^v\d+/i`, or null if it is not a pattern or re2 does not support it. */
export const patternOf: (text: string) => Pattern | null = remembered(compile, 500)

function compile(text: string): Pattern | null {
  const parts = /^\/(.+)\/([ismU]*)$/s.exec(text)
  if (!parts || text.length > MAX_LENGTH) return null
  const [body, flags] = [parts[1]!, parts[2]!]
  // A slash ends the pattern unless it is escaped.
  if (/(?<!\\)(?:\\\\)*\//.test(body) && !/^(?:[^\\/]|\\[\s\S])*$/.test(body)) return null
  try {
    const ungreedy = flags.includes('U') ? '(?U)' : ''
    const bits = [...flags].reduce((sum, flag) => sum | (FLAGS[flag] ?? 0), 0)
    const compiled = RE2JS.compile(ungreedy + body.replaceAll(String.raw`\/`, '/'), bits)
    const longest = MAX_WORK / compiled.programSize()
    return { source: text, test: (subject) => subject.length <= longest && compiled.matcher(subject).find() }
  } catch {
    return null
  }
}

/** True for a text in the form of a pattern, valid or not. */
export function looksLikePattern(text: string): boolean {
  return /^\/.*\/[ismU]*$/s.test(text)
}

const MAX_ALTERNATIVES = 200

/** Files that a glob covers, as `fnmatch` with path, dot and brace options reads it (spec ci 4.7). */
export interface Glob {
  covers(path: string): boolean
}

/** Reads a glob; of many alternatives in braces the first 200 count. */
export function globOf(text: string): Glob {
  const patterns: PathPattern[] = alternatives(text).map((alternative) => ({
    segments: alternative.split('/'),
  }))
  return { covers: (path) => patterns.some((pattern) => matches(pattern, path)) }
}

/** `a{b,c}d` as `abd` and `acd`, inner braces too. */
function alternatives(text: string): string[] {
  const done: string[] = []
  const open = [text]
  while (open.length > 0 && done.length < MAX_ALTERNATIVES) {
    const bracket = open.shift()!
    const group = firstGroup(bracket)
    if (!group) done.push(bracket)
    else if (open.length < MAX_ALTERNATIVES) {
      const [head, tail] = [bracket.slice(0, group.from), bracket.slice(group.to + 1)]
      open.unshift(...group.parts.map((part) => head + part + tail))
    }
  }
  return done
}

interface Group {
  readonly from: number
  readonly to: number
  readonly parts: readonly string[]
}

function firstGroup(text: string): Group | undefined {
  const from = text.search(/(?<!\\)\{/)
  if (from < 0) return undefined
  const parts: string[] = []
  let depth = 0
  let start = from + 1
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === '{') depth++
    else if (char === ',' && depth === 1) {
      parts.push(text.slice(start, at))
      start = at + 1
    } else if (char === '}' && --depth === 0) {
      return { from, to: at, parts: [...parts, text.slice(start, at)] }
    }
  }
  return undefined
}
