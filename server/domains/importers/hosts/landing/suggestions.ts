import type { NewDiffNote } from './inputs.ts'

const OPENING = /^( {0,3}(?:`{3,}|~{3,})suggestion)[ \t]*$/gm

/** Blocks that suggest a change of all lines of a comment say here how many of them stand above its last one. */
export function convertSuggestions(
  body: string,
  { line, first_line }: Pick<NewDiffNote, 'line' | 'first_line'>,
): string {
  const isSpan = line && first_line && line.side === first_line.side && first_line.line < line.line
  const above = isSpan ? line.line - first_line.line : 0
  return body.replaceAll('\r\n', '\n').replaceAll(OPENING, `$1:-${above}+0`)
}
