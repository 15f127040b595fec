import { matches, type PathPattern } from '../../../lib/path-pattern.ts'

const MAX_ALTERNATIVES = 200

/** Files that a glob covers, as `fnmatch` with path, dot and brace options reads it (spec ci 4.7). */
export interface Glob {
  covers(path: string): boolean
}

/** Reads a glob; what has more alternatives in braces than anybody would write keeps the first 200. */
export function globOf(text: string): Glob {
  const patterns: PathPattern[] = alternatives(text).map((one) => ({ segments: one.split('/') }))
  return { covers: (path) => patterns.some((pattern) => matches(pattern, path)) }
}

/** `a{b,c}d` as `abd` and `acd`, inner braces too. */
function alternatives(text: string): string[] {
  const done: string[] = []
  const open = [text]
  while (open.length > 0 && done.length < MAX_ALTERNATIVES) {
    const one = open.shift()!
    const group = firstGroup(one)
    if (!group) done.push(one)
    else if (open.length < MAX_ALTERNATIVES) {
      const [head, tail] = [one.slice(0, group.from), one.slice(group.to + 1)]
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
