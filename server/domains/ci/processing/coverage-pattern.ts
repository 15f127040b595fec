import { RE2JS } from 're2js'

/** The maximum length of a line. Longer lines are skipped. */
const MAX_LINE = 10_000

/** The pattern of a `coverage:`, with or without slashes. Null if the engine does not support it. */
export function patternIn(source: string): RE2JS | null {
  const body = /^\/(.*)\/$/s.exec(source)?.[1] ?? source
  try {
    return RE2JS.compile(body.replaceAll(String.raw`\/`, '/'))
  } catch {
    return null
  }
}

/**
 * Returns the last number that a pattern finds in a text, ignoring color codes. Null if there is none, `late` after
 * `limit` milliseconds. One search takes linear time, but a line may need a search for each character.
 */
export function lastNumber(text: string, pattern: RE2JS, limit = Infinity): number | 'late' | null {
  const deadline = performance.now() + limit
  for (const line of text.split(/[\r\n]+/).toReversed()) {
    const number = line.length > MAX_LINE ? null : numberIn(withoutColors(line), pattern, deadline)
    if (number !== null) return number
  }
  return null
}

function withoutColors(line: string): string {
  // oxlint-disable-next-line no-control-regex
  return line.includes('\u001B') ? line.replaceAll(/\u001B\[[0-9;]*[A-Za-z]/g, '') : line
}

/** The number in the last match of a line. If the pattern has groups, the number in the last group. */
function numberIn(line: string, pattern: RE2JS, deadline: number): number | 'late' | null {
  const matcher = pattern.matcher(line)
  let last: string | null = null
  while (matcher.find()) {
    if (performance.now() > deadline) return 'late'
    const groups = matcher.groupCount()
    last = (groups > 0 ? matcher.group(groups) : matcher.group()) ?? null
  }
  if (performance.now() > deadline) return 'late'
  const number = Number((last === null ? undefined : /\d+(?:\.\d+)?/.exec(last)?.[0]) ?? NaN)
  return Number.isFinite(number) ? number : null
}
