import type { Ctx } from '../../../../ctx.ts'
import { readFile } from '../../../../git/blob.ts'
import type { NewSuggestion, Position } from '../../../discussions/index.ts'
import { inRepository, type Project } from '../../../projects/index.ts'

/** Larger files are not changed by suggestions. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024

/**
 * The changes that a text offers for the lines around its place, with what stands there. Only lines of the new side can
 * be changed; what reaches beyond the file is cut.
 */
export async function suggestionsIn(
  ctx: Ctx,
  project: Project,
  text: string,
  position: Position,
): Promise<readonly NewSuggestion[]> {
  if (position.position_type !== 'text' || position.new_line == null) return []
  const line = position.new_line
  const offered = parseSuggestions(text)
  if (offered.length === 0) return []
  const lines = await linesOf(ctx, project, position.head_sha, position.new_path)
  return offered.flatMap(({ lines_above, lines_below, to_content }) => {
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

/** A part of a file, by the numbers of its first and last line. */
export interface LineSpan {
  readonly from: number
  readonly to: number
}

/** The lines of a text, each with its line end; the last one may have none. */
export function linesWithEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** The lines of a span, with a line end each; undefined where the text does not have them all. */
export function contentOf(lines: readonly string[], span: LineSpan): string | undefined {
  if (span.from < 1 || span.to > lines.length || span.from > span.to) return undefined
  return lines
    .slice(span.from - 1, span.to)
    .map((line) => (line.endsWith('\n') ? line : `${line}\n`))
    .join('')
}

/** Puts other content in place of spans that do not overlap; line ends of the file win, and so does a missing last one. */
export function replaceSpans(
  text: string,
  changes: readonly (LineSpan & { readonly content: string })[],
): string {
  const lines = linesWithEnds(text)
  const hasEnd = text.endsWith('\n')
  const end = lines.some((line) => line.endsWith('\r\n')) ? '\r\n' : '\n'
  for (const { from, to, content } of changes.toSorted((a, b) => b.from - a.from))
    lines.splice(from - 1, to - from + 1, content.replaceAll(/\r?\n/g, end))
  const made = lines.join('')
  return !hasEnd && made.endsWith(end) ? made.slice(0, -end.length) : made
}

/** Whether two of these spans have a line in common. */
export function overlap(spans: readonly LineSpan[]): boolean {
  const sorted = spans.toSorted((a, b) => a.from - b.from)
  return sorted.some((one, index) => index > 0 && one.from <= sorted[index - 1]!.to)
}

/** A change of lines as a text offers it. */
export interface OfferedChange {
  readonly lines_above: number
  readonly lines_below: number
  /** What the lines become, with its line end; empty where they go. */
  readonly to_content: string
}

/** Lines on one side of the commented one that a change can take in. */
const MAX_AROUND = 100

/** Changes that one text can offer. */
const MAX_OFFERED = 50
const OPENING = /^ {0,3}(`{3,}|~{3,})suggestion(?::-(\d{1,6})\+(\d{1,6}))?[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** The blocks of a Markdown text that say ```` ```suggestion:-0+1 ````, in their order. */
export function parseSuggestions(text: string): OfferedChange[] {
  const lines = text.split(/\r?\n/)
  const offered: OfferedChange[] = []
  for (let at = 0; at < lines.length && offered.length < MAX_OFFERED; at++) {
    const [, fence] = FENCE.exec(lines[at]!) ?? []
    if (!fence) continue
    const end = closingOf(lines, at, fence)
    const [, , above = '0', below = '0'] = OPENING.exec(lines[at]!) ?? []
    if (OPENING.test(lines[at]!)) {
      const content = lines.slice(at + 1, end)
      offered.push({
        lines_above: Math.min(Number(above), MAX_AROUND),
        lines_below: Math.min(Number(below), MAX_AROUND),
        to_content: content.map((line) => `${line}\n`).join(''),
      })
    }
    at = end
  }
  return offered
}

/** The line that ends a block; the number of lines where nobody closed it. */
function closingOf(lines: readonly string[], at: number, fence: string): number {
  const closing = new RegExp(`^ {0,3}${fence[0]!}{${fence.length},}[ \\t]*$`)
  for (let index = at + 1; index < lines.length; index++) if (closing.test(lines[index]!)) return index
  return lines.length
}
