import type { Ctx } from '../../../../ctx.ts'
import { readFile } from '../../../../git/read/blob.ts'
import type { NewSuggestion, Position } from '../../../discussions/index.ts'
import { inRepository, type Project } from '../../../projects/index.ts'

/** The maximum size of a file that suggestions can change. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024

/**
 * Reads the suggestions in a text for the lines around its position. Only lines of the new side can be changed. A
 * suggestion ends at the first and last line of the file.
 */
export async function suggestionsIn(
  ctx: Ctx,
  project: Project,
  text: string,
  position: Position,
): Promise<readonly NewSuggestion[]> {
  if (position.position_type !== 'text' || position.new_line == null) return []
  const line = position.new_line
  const suggestions = parseSuggestions(text)
  if (suggestions.length === 0) return []
  const lines = await linesOf(ctx, project, position.head_sha, position.new_path)
  return suggestions.flatMap(({ lines_above, lines_below, to_content }) => {
    const above = Math.min(lines_above, line - 1)
    const below = Math.max(0, Math.min(lines_below, lines.length - line))
    const from_content = contentOf(lines, { from: line - above, to: line + below })
    if (from_content === undefined) return []
    return [{ lines_above: above, lines_below: below, from_content, to_content }]
  })
}

async function linesOf(ctx: Ctx, project: Project, commit: string, path: string): Promise<string[]> {
  const file = await inRepository(ctx, project, (repo) =>
    readFile(repo, commit, path, { maxBytes: MAX_FILE_BYTES }).catch(() => null),
  )
  return file ? linesWithEnds(file.content.toString('utf8')) : []
}

/** A range of lines in a file, by the numbers of the first and last line. */
export interface LineSpan {
  readonly from: number
  readonly to: number
}

/** Splits a text into lines with their line ends. The last one may have none. */
export function linesWithEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Joins the lines of a span, each with a line end. Undefined when the text does not have all of them. */
export function contentOf(lines: readonly string[], span: LineSpan): string | undefined {
  if (span.from < 1 || span.to > lines.length || span.from > span.to) return undefined
  return lines
    .slice(span.from - 1, span.to)
    .map((line) => (line.endsWith('\n') ? line : `${line}\n`))
    .join('')
}

/** Replaces spans that do not overlap. The line ends stay as the file has them, also a missing one at its end. */
export function replaceSpans(
  text: string,
  changes: readonly (LineSpan & { readonly content: string })[],
): string {
  const lines = linesWithEnds(text)
  const hasEnd = text.endsWith('\n')
  const end = lines.some((line) => line.endsWith('\r\n')) ? '\r\n' : '\n'
  for (const { from, to, content } of changes.toSorted((a, b) => b.from - a.from))
    lines.splice(from - 1, to - from + 1, content.replaceAll(/\r?\n/g, end))
  const result = lines.join('')
  return !hasEnd && result.endsWith(end) ? result.slice(0, -end.length) : result
}

/** Whether two of these spans share a line. */
export function overlap(spans: readonly LineSpan[]): boolean {
  const sorted = spans.toSorted((a, b) => a.from - b.from)
  return sorted.some((span, index) => index > 0 && span.from <= sorted[index - 1]!.to)
}

/** A suggestion as written in a text. */
export interface ParsedSuggestion {
  readonly lines_above: number
  readonly lines_below: number
  /** The new lines with their line ends. Empty to delete the lines. */
  readonly to_content: string
}

/** The maximum number of lines above or below the commented line. */
const MAX_LINES = 100

/** The maximum number of suggestions in one text. */
const MAX_SUGGESTIONS = 50
const OPENING = /^ {0,3}(`{3,}|~{3,})suggestion(?::-(\d{1,6})\+(\d{1,6}))?[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** Parses the blocks ```` ```suggestion:-0+1 ```` of a Markdown text. */
export function parseSuggestions(text: string): ParsedSuggestion[] {
  const lines = text.split(/\r?\n/)
  const suggestions: ParsedSuggestion[] = []
  for (let at = 0; at < lines.length && suggestions.length < MAX_SUGGESTIONS; at++) {
    const [, fence] = FENCE.exec(lines[at]!) ?? []
    if (!fence) continue
    const end = closingOf(lines, at, fence)
    const [, , above = '0', below = '0'] = OPENING.exec(lines[at]!) ?? []
    if (OPENING.test(lines[at]!)) {
      const content = lines.slice(at + 1, end)
      suggestions.push({
        lines_above: Math.min(Number(above), MAX_LINES),
        lines_below: Math.min(Number(below), MAX_LINES),
        to_content: content.map((line) => `${line}\n`).join(''),
      })
    }
    at = end
  }
  return suggestions
}

/** Returns the index of the line that closes a block, or the number of lines if the block is not closed. */
function closingOf(lines: readonly string[], at: number, fence: string): number {
  const closing = new RegExp(`^ {0,3}${fence[0]!}{${fence.length},}[ \\t]*$`)
  for (let index = at + 1; index < lines.length; index++) if (closing.test(lines[index]!)) return index
  return lines.length
}
