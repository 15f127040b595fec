import type { TextRange } from '../diff/lines/word-diff.ts'

/** Plain text as HTML text. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

/**
 * Cuts highlighted HTML into lines. Spans that reach over a line end are closed there and opened again
 * on the next line, so every line stands alone.
 */
export function splitLines(html: string): string[] {
  const open: string[] = []
  return html.split('\n').map((raw) => {
    const before = open.join('')
    for (const tag of raw.match(/<span[^>]*>|<\/span>/g) ?? []) {
      if (tag === '</span>') open.pop()
      else open.push(tag)
    }
    return before + raw + '</span>'.repeat(open.length)
  })
}

/** Wraps ranges of the visible text in `<mark>`, whatever spans they cross. */
export function markRanges(html: string, ranges: readonly TextRange[]): string {
  if (ranges.length === 0) return html
  let out = ''
  let position = 0
  let marked = false
  const isInside = (): boolean => ranges.some(([start, end]) => position >= start && position < end)
  for (const piece of html.match(/<[^>]*>|&[^;]*;|[^<&]/gsu) ?? []) {
    const isTag = piece[0] === '<'
    const inside = !isTag && isInside()
    if (marked && !inside) out += '</mark>'
    if (!marked && inside) out += '<mark>'
    marked = inside
    out += piece
    if (!isTag) position += piece[0] === '&' ? 1 : piece.length
  }
  return marked ? `${out}</mark>` : out
}
