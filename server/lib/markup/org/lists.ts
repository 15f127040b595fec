import { orgInline } from './inline.ts'
import type { OrgReader } from './blocks.ts'

const ITEM = /^(\s*)([-+]|\d{1,9}[.)]|[a-zA-Z][.)])(?:\s+(.*)|)$/
/** A star without indentation is a headline. */
const STAR = /^(\s+)(\*)(?:\s+(.*)|)$/

function itemAt(line: string): RegExpExecArray | null {
  return ITEM.exec(line) ?? STAR.exec(line)
}

/** True if a line begins an item of a list. */
export function isListItem(line: string): boolean {
  return itemAt(line) !== null
}

type ListKind = 'ul' | 'ol' | 'dl'

interface Item {
  readonly kind: ListKind
  readonly indent: number
  readonly text: string
}

function readItem(line: string): Item | undefined {
  const item = itemAt(line)
  if (!item) return undefined
  const text = item[3] ?? ''
  const isNumbered = /^\w/.test(item[2]!)
  const kind = isNumbered ? 'ol' : / ::( |$)/.test(text) ? 'dl' : 'ul'
  return { kind, indent: item[1]!.length, text }
}

/** Reads a list from the reader's line on, with the indented content of its items. */
export function readList(reader: OrgReader): string {
  const first = readItem(reader.line)!
  const items: string[] = []
  while (!reader.isOver) {
    const item = readItem(reader.line)
    if (!item || item.indent !== first.indent || item.kind !== first.kind) break
    reader.at++
    items.push(itemHtml(reader, item, itemLines(reader, item.indent)))
  }
  return `<${first.kind}>${items.join('')}</${first.kind}>\n`
}

/** Lines that belong to an item: indented further than it, and blank ones between them. Two blank lines end a list. */
function itemLines(reader: OrgReader, indent: number): string[] {
  const lines: string[] = []
  while (!reader.isOver) {
    const { line } = reader
    const isBlank = line.trim() === ''
    if (isBlank && (reader.lines[reader.at + 1] ?? '').trim() === '') break
    if (!isBlank && line.length - line.trimStart().length <= indent) break
    lines.push(line)
    reader.at++
  }
  return lines
}

function itemHtml(reader: OrgReader, { kind, text }: Item, lines: readonly string[]): string {
  if (kind === 'dl') {
    const at = text.search(/ ::( |$)/)
    const content = bodyHtml(reader, text.slice(at + 3).trimStart(), lines)
    return `<dt>${orgInline(text.slice(0, at))}</dt><dd>${content}</dd>`
  }
  const box = /^\[([ xX-])\](?=\s|$)/.exec(text)
  const rest = box ? text.slice(box[0].length) : text
  const input = box ? `<input type="checkbox"${/x/i.test(box[1]!) ? ' checked' : ''}>` : ''
  const start = box ? '<li class="task-list-item">' : '<li>'
  return `${start}${input}${bodyHtml(reader, rest, lines)}</li>`
}

/** The content of an item. Lines that continue its text belong to its first paragraph. */
function bodyHtml(reader: OrgReader, start: string, lines: readonly string[]): string {
  const isPlain = (line: string): boolean => !/^\s*($|[|:#])/.test(line) && !isListItem(line)
  const next = lines.findIndex((line) => !isPlain(line))
  const ownLines = next < 0 ? lines : lines.slice(0, next)
  const rest = next < 0 ? [] : lines.slice(next)
  const text = [start, ...ownLines.map((line) => line.trim())].join('\n')
  return orgInline(text) + (rest.length > 0 ? reader.inner(rest) : '')
}
