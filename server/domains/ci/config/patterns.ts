import { RE2JS } from 're2js'

/** A pattern of a user, as `/…/flags`. The engine takes time by the length of text and pattern, whatever it says. */
export interface Pattern {
  readonly source: string
  /** True when it is found anywhere in the text; false where that would take too long to find out. */
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
const MAX_KEPT = 500
const kept = new Map<string, Pattern | null>()

/** The pattern that a text such as `/^v\d+/i` stands for, or null when it is none or not one of re2's. */
export function patternOf(text: string): Pattern | null {
  const known = kept.get(text)
  if (known !== undefined) return known
  const made = compile(text)
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!)
  kept.set(text, made)
  return made
}

function compile(text: string): Pattern | null {
  const parts = /^\/(.+)\/([ismU]*)$/s.exec(text)
  if (!parts || text.length > MAX_LENGTH) return null
  const [, body, flags] = parts as unknown as [string, string, string]
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

/** True for what is written as a pattern, whether it compiles or not. */
export function looksLikePattern(text: string): boolean {
  return /^\/.*\/[ismU]*$/s.test(text)
}
