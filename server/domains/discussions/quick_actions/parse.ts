import { additionOf, findCommand, type CommandName } from './commands.ts'

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
  const isCommand = lines.map(() => false)
  // Known closing lines keep the search linear for blocks that are never closed.
  const lastClose = new Map(
    lines.flatMap((line, index) => {
      const key = keyOf(CLOSING, line)
      return key ? [[key, index] as const] : []
    }),
  )
  for (let at = 0; at < lines.length; at++) {
    const last = lastOfBlock(lines, at, lastClose)
    if (last === undefined) continue
    isCommand.fill(true, at, last + 1)
    at = last
  }
  return isCommand
}

/** The last line of the block that starts at this line. Undefined when none starts here. */
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

/** A quick action as written. */
export interface Command {
  readonly name: CommandName
  /** The trimmed rest of its line. */
  readonly args: string
}

/** A text split into its content and its quick actions. */
export interface ParsedText {
  /** The trimmed text without its quick actions. */
  readonly text: string
  /** The quick actions in their order. */
  readonly commands: readonly Command[]
}

/** The maximum number of quick actions in one text. Further ones stay text. */
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
  const kept: string[] = []
  for (const [index, line] of lines.entries()) {
    const match = isProtected[index] ? null : LINE.exec(line.trimEnd())
    const [, word = '', rest = ''] = match ?? []
    const name = match ? findCommand(word) : undefined
    if (name && commands.length < MAX_COMMANDS) commands.push({ name, args: rest.trim() })
    else kept.push((match && additionOf(word, rest.trim())) ?? line)
  }
  return { text: kept.join('\n').trim(), commands }
}
