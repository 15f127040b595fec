import { additionOf, commandNamed, type CommandName } from './commands.ts'
import { protectedLines } from './protected-lines.ts'

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
