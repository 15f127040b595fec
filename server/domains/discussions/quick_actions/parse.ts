import { lineWithAddition, findCommand, type CommandName } from './commands.ts'

const FENCE = /^ {0,3}(`{3,}|~{3,})/

const OPENING = /^(?:<([a-z][a-z0-9-]*)(?![a-z0-9-])[^>]*>|(>>>))\s*$/i

const CLOSING = /^(?:<\/([a-z][a-z0-9-]*)>|(>>>))\s*$/i

const keyOf = (pattern: RegExp, line: string): string | undefined => {
  const [, tag, quote] = pattern.exec(line) ?? []
  return quote ?? tag?.toLowerCase()
}

/**
 * Marks the lines of a Markdown text in code blocks, quotes (between lines of `>>>`) and HTML blocks. An unclosed code
 * block reaches to the end; an unclosed quote or HTML block counts as text. Runs in one pass.
 */
function protectedLines(lines: readonly string[]): boolean[] {
  const isProtected = lines.map(() => false)
  // The index of the last closing line of each kind keeps the search linear for blocks that are never closed.
  const lastClose = new Map(
    lines.flatMap((line, index) => {
      const key = keyOf(CLOSING, line)
      return key ? [[key, index] as const] : []
    }),
  )
  for (let index = 0; index < lines.length; index++) {
    const end = endOfBlock(lines, index, lastClose)
    if (end === undefined) continue
    isProtected.fill(true, index, end + 1)
    index = end
  }
  return isProtected
}

/** Returns the index of the last line of the block that starts at `start`. Undefined if no block starts there. */
function endOfBlock(
  lines: readonly string[],
  start: number,
  lastClose: ReadonlyMap<string, number>,
): number | undefined {
  const [, fence] = FENCE.exec(lines[start]!) ?? []
  if (fence) {
    const end = new RegExp(`^ {0,3}${fence[0]!}{${fence.length},}\\s*$`)
    const close = indexAfter(lines, start, (line) => end.test(line))
    return close ?? lines.length - 1
  }
  const key = keyOf(OPENING, lines[start]!)
  if (key === undefined || (lastClose.get(key) ?? -1) <= start) return undefined
  return indexAfter(lines, start, (line) => keyOf(CLOSING, line) === key)
}

function indexAfter(
  lines: readonly string[],
  start: number,
  matches: (line: string) => boolean,
): number | undefined {
  for (let index = start + 1; index < lines.length; index++) if (matches(lines[index]!)) return index
  return undefined
}

/** A quick action in a text. */
export interface Command {
  readonly name: CommandName
  /** The rest of its line, trimmed. */
  readonly args: string
}

/** A text split into its content and its quick actions. */
export interface ParsedText {
  /** The trimmed text without its quick actions. */
  readonly text: string
  /** The quick actions, in the order of the text. */
  readonly commands: readonly Command[]
}

/** The maximum number of quick actions in one text. Further quick actions stay text. */
const MAX_COMMANDS = 100

/** Matches the rest of the line in one step, so that matching stays linear. */
const LINE = /^\/([a-z_]+)(?:[ \t]+(.*))?$/is

/**
 * Splits the quick actions from a text. A quick action is a line that starts with a slash. Lines in code
 * blocks, quotes and HTML blocks stay text, and so do unknown words.
 */
export function parseQuickActions(text: string): ParsedText {
  if (!/^\/[a-z_]/im.test(text)) return { text, commands: [] }
  const lines = text.split(/\r?\n/)
  const isProtected = protectedLines(lines)
  const commands: Command[] = []
  const textLines: string[] = []
  for (const [index, line] of lines.entries()) {
    const match = isProtected[index] ? null : LINE.exec(line.trimEnd())
    const [, word = '', rest = ''] = match ?? []
    const name = match ? findCommand(word) : undefined
    if (name && commands.length < MAX_COMMANDS) commands.push({ name, args: rest.trim() })
    else textLines.push((match && lineWithAddition(word, rest.trim())) ?? line)
  }
  return { text: textLines.join('\n').trim(), commands }
}
