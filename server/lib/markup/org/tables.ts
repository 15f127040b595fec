import { orgInline } from './inline.ts'
import type { OrgReader } from './blocks.ts'

function cellsOf(line: string): string[] {
  return line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|')
}

function rowHtml(cells: readonly string[], tag: 'td' | 'th'): string {
  return `<tr>${cells.map((cell) => `<${tag}>${orgInline(cell.trim())}</${tag}>`).join('')}</tr>`
}

/** True for a row that only sets column widths. */
function isWidthRow(cells: readonly string[]): boolean {
  return (
    cells.some((cell) => cell.includes('<')) && cells.every((cell) => /^(<[lcr]?\d*>)?$/.test(cell.trim()))
  )
}

/** Reads a table from the reader's line on. The rows above the first separator line are its head, if others follow. */
export function readTable(reader: OrgReader): string {
  const rows: string[][] = []
  let headCount = 0
  while (!reader.isOver && reader.line.trimStart().startsWith('|')) {
    const line = reader.line.trim()
    const cells = cellsOf(line)
    if (line.startsWith('|-')) headCount ||= rows.length
    else if (!isWidthRow(cells)) rows.push(cells)
    reader.at++
  }
  const isHeadOnly = headCount === rows.length
  const headRows = isHeadOnly ? [] : rows.slice(0, headCount)
  const body = isHeadOnly ? rows : rows.slice(headCount)
  const thead =
    headRows.length > 0 ? `<thead>${headRows.map((row) => rowHtml(row, 'th')).join('')}</thead>` : ''
  return `<table>${thead}<tbody>${body.map((row) => rowHtml(row, 'td')).join('')}</tbody></table>\n`
}
