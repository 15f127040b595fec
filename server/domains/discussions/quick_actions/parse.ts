import { additionOf, commandNamed, type CommandName } from './commands.ts'

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
function protectedLines(lines: readonly string[]): boolean[] {
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

/** A command as somebody wrote it. */
export interface Command {
  readonly name: CommandName
  /** What stands behind it on its line, without blanks around; empty without. */
  readonly args: string
}

/** A text taken apart. */
export interface ParsedText {
  /** The text without its commands, without blanks around; empty when it held nothing else. */
  readonly text: string
  /** The commands, in their order. */
  readonly commands: readonly Command[]
}

/** Commands of one text; lines after so many are text. */
const MAX_COMMANDS = 100

/** Whatever stands behind the word is taken at once, so that no line is tried twice. */
const LINE = /^\/([a-z_]+)(?:[ \t]+(.*))?$/is

/**
 * Takes the commands out of a text (house rule: as users of the contract's service write them). A command begins its
 * line with a slash and has it for itself. Lines in code blocks, quotes and HTML blocks are text, and so are words that
 * are no commands.
 */
export function parseQuickActions(text: string): ParsedText {
  if (!/^\/[a-z_]/im.test(text)) return { text, commands: [] }
  const lines = text.split(/\r?\n/)
  const isProtected = protectedLines(lines)
  const commands: Command[] = []
  const kept: string[] = []
  for (const [index, line] of lines.entries()) {
    const found = isProtected[index] ? null : LINE.exec(line.trimEnd())
    const [, word = '', rest = ''] = found ?? []
    const name = found ? commandNamed(word) : undefined
    if (name && commands.length < MAX_COMMANDS) commands.push({ name, args: rest.trim() })
    else kept.push((found && additionOf(word, rest.trim())) ?? line)
  }
  return { text: kept.join('\n').trim(), commands }
}
