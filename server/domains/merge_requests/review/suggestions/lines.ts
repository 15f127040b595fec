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
