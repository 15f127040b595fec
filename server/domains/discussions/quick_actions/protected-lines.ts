const FENCE = /^ {0,3}(`{3,}|~{3,})/
const OPENING = /^(?:<([a-z][a-z0-9-]*)(?![a-z0-9-])[^>]*>|(>>>))\s*$/i
const CLOSING = /^(?:<\/([a-z][a-z0-9-]*)>|(>>>))\s*$/i

const keyOf = (pattern: RegExp, line: string): string | undefined => {
  const [, tag, quote] = pattern.exec(line) ?? []
  return quote ?? tag?.toLowerCase()
}

/**
 * Which lines of a Markdown text lie in code blocks, quotes (between lines of `>>>`) or HTML blocks. A code block that
 * nobody closes reaches to the end; a quote or HTML block that nobody closes is none. One pass, whatever the text.
 */
export function protectedLines(lines: readonly string[]): boolean[] {
  const found = lines.map(() => false)
  // Nobody looks for an end that does not come.
  const lastClose = new Map(
    lines.flatMap((line, index) => {
      const key = keyOf(CLOSING, line)
      return key ? [[key, index] as const] : []
    }),
  )
  for (let at = 0; at < lines.length; at++) {
    const last = lastOfBlock(lines, at, lastClose)
    if (last === undefined) continue
    found.fill(true, at, last + 1)
    at = last
  }
  return found
}

/** The last line of the block that begins here; undefined where none does. */
function lastOfBlock(
  lines: readonly string[],
  at: number,
  lastClose: ReadonlyMap<string, number>,
): number | undefined {
  const [, fence] = FENCE.exec(lines[at]!) ?? []
  if (fence) {
    const end = new RegExp(`^ {0,3}${fence[0]!}{${fence.length},}\\s*$`)
    const close = indexAfter(lines, at, (line) => end.test(line))
    return close ?? lines.length - 1
  }
  const key = keyOf(OPENING, lines[at]!)
  if (key === undefined || (lastClose.get(key) ?? -1) <= at) return undefined
  return indexAfter(lines, at, (line) => keyOf(CLOSING, line) === key)
}

function indexAfter(
  lines: readonly string[],
  at: number,
  isWanted: (line: string) => boolean,
): number | undefined {
  for (let index = at + 1; index < lines.length; index++) if (isWanted(lines[index]!)) return index
  return undefined
}
