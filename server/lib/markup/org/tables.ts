import { orgInline } from './inline.ts'
import type { OrgReader } from './blocks.ts'

function cellsOf(line: string): string[] {
  return line.trim().replace(/^\|/, '').replace(/\|$/, '').split('|')
}

function rowHtml(cells: readonly string[], tag: 'td' | 'th'): string {
  return `<tr>${cells.map((cell) => `<${tag}>${orgInline(cell.trim())}</${tag}>`).join('')}</tr>`
}

/** True for a row that only sets column widths. */
function isWidths(cells: readonly string[]): boolean {
  return (
    cells.some((cell) => cell.includes('<')) && cells.every((cell) => /^(<[lcr]?\d*>)?$/.test(cell.trim()))
  )
}

/** Reads a table from the reader's line on. The rows above the first separator line are its head. */
export function readTable(reader: OrgReader): string {
  const rows: string[][] = []
  let head = 0
  while (!reader.isOver && reader.line.trimStart().startsWith('|')) {
    const line = reader.line.trim()
    const cells = cellsOf(line)
    if (line.startsWith('|-')) head ||= rows.length
    else if (!isWidths(cells)) rows.push(cells)
    reader.at++
  }
  const isAll = head === rows.length
  const top = isAll ? [] : rows.slice(0, head)
  const body = isAll ? rows : rows.slice(head)
  const thead = top.length > 0 ? `<thead>${top.map((row) => rowHtml(row, 'th')).join('')}</thead>` : ''
  return `<table>${thead}<tbody>${body.map((row) => rowHtml(row, 'td')).join('')}</tbody></table>\n`
}
