import { contentsHtml, type Heading } from '../../markdown/contents.ts'
import { codeBlock, escapeHtml, HeadingIds, openTag } from '../html.ts'
import { orgInline } from './inline.ts'
import { isListItem, readList } from './lists.ts'

/** Deeper nesting is shown as plain text. */
const MAX_DEPTH = 20

/** Lines of a text, the current line, and the state of the whole document. */
export class OrgReader {
  at = 0
  readonly lines: readonly string[]
  readonly depth: number
  readonly document: OrgDocument

  constructor(lines: readonly string[], depth: number, document: OrgDocument) {
    this.lines = lines
    this.depth = depth
    this.document = document
  }

  get line(): string {
    return this.lines[this.at]!
  }
  get isOver(): boolean {
    return this.at >= this.lines.length
  }

  /** The HTML of lines that are nested in this text. */
  inner(lines: readonly string[]): string {
    if (this.depth >= MAX_DEPTH) return `<pre>${escapeHtml(lines.join('\n'))}</pre>`
    return blocksOf(new OrgReader(lines, this.depth + 1, this.document))
  }
}

/** The state of the whole document. */
export class OrgDocument {
  readonly ids = new HeadingIds()
  readonly headings: Heading[] = []
  readonly notes: string[] = []
}

/** The placeholder of the table of contents until all headings are known. Texts cannot contain it: NUL is removed. */
const CONTENTS = '\0contents\0'

/** Org as HTML, which must be sanitized afterwards. The time is linear in the length of the text. */
export function orgHtml(text: string): string {
  const document = new OrgDocument()
  const lines = text.replaceAll('\0', '').replace(/\r\n?/g, '\n').split('\n')
  const html = blocksOf(new OrgReader(lines, 0, document))
  const notes = document.notes.length > 0 ? `<hr>${document.notes.join('')}` : ''
  const contents = html.includes(CONTENTS) ? contentsHtml(document.headings, escapeHtml) : ''
  return html.replace(CONTENTS, contents).replaceAll(CONTENTS, '') + notes
}

type BlockReader = (reader: OrgReader) => string | undefined

/** The kinds of blocks, in the order in which they are tried. */
const BLOCK_READERS: readonly BlockReader[] = [
  blankLine,
  headline,
  block,
  keyword,
  drawer,
  fixedWidth,
  comment,
  rule,
  footnote,
  planning,
  (reader) => (reader.line.trimStart().startsWith('|') ? readTable(reader) : undefined),
  (reader) => (isListItem(reader.line) ? readList(reader) : undefined),
]

function blocksOf(reader: OrgReader): string {
  const html: string[] = []
  while (!reader.isOver) html.push(readBlock(reader) ?? paragraph(reader))
  return html.join('')
}

function readBlock(reader: OrgReader): string | undefined {
  for (const read of BLOCK_READERS) {
    const html = read(reader)
    if (html !== undefined) return html
  }
  return undefined
}

function blankLine(reader: OrgReader): string | undefined {
  if (reader.line.trim() !== '') return undefined
  reader.at++
  return ''
}

function headline(reader: OrgReader): string | undefined {
  const match = /^(\*{1,50}) +(.*)$/.exec(reader.line)
  if (!match || reader.depth > 0) return undefined
  reader.at++
  const level = Math.min(6, match[1]!.length)
  const todo = /^(TODO|DONE|NEXT|WAITING|CANCELLED) +/.exec(match[2]!)
  const rest = match[2]!.slice(todo?.[0].length ?? 0).replace(/^\[#[A-Z]\] */, '')
  const tags = /[ \t]:([\w@#%:]+):[ \t]*$/.exec(rest.slice(-300))
  const title = (tags ? rest.slice(0, rest.length - tags[0].length) : rest).trim()
  const id = customId(reader) ?? reader.document.ids.next(title)
  reader.document.headings.push({ level, id, title })
  const keyword = todo ? `<code>${todo[1]}</code> ` : ''
  const labels = tags ? ` <small>${escapeHtml(tags[1]!.split(':').join(' '))}</small>` : ''
  const start = openTag(`h${level}`, { id: id === '' ? undefined : `user-content-${id}` })
  return `${start}${keyword}${orgInline(title)}${labels}</h${level}>\n`
}

/** The CUSTOM_ID in the drawer of a headline. */
function customId(reader: OrgReader): string | undefined {
  if (!/^\s*:PROPERTIES:\s*$/i.test(reader.lines[reader.at] ?? '')) return undefined
  for (const line of reader.lines.slice(reader.at + 1, reader.at + 20)) {
    const match = /^\s*:CUSTOM_ID:\s*(\S{1,100})/i.exec(line)
    if (match) return match[1]
    if (/^\s*:END:/i.test(line)) return undefined
  }
  return undefined
}

/** A block with its lines; undefined when it has no end. */
function block(reader: OrgReader): string | undefined {
  const match = /^\s*#\+begin_([\w-]+)[ \t]*(.*)$/i.exec(reader.line)
  if (!match) return undefined
  const name = match[1]!.toLowerCase()
  const end = endOf(reader, `#+end_${name}`)
  const lines = reader.lines.slice(reader.at + 1, end)
  reader.at = end + 1
  return blockHtml(reader, name, match[2]!, lines)
}

/**
 * The line that ends the block at the reader's line; the end of the text when there is none, so that no search is
 * repeated.
 */
function endOf(reader: OrgReader, endLine: string): number {
  for (let at = reader.at + 1; at < reader.lines.length; at++)
    if (reader.lines[at]!.trim().toLowerCase() === endLine) return at
  return reader.lines.length
}

function blockHtml(reader: OrgReader, name: string, rest: string, lines: readonly string[]): string {
  const code = dedent(lines)
    .map((line) => line.replace(/^,(?=\*|#\+)/, ''))
    .join('\n')
  switch (name) {
    case 'src':
      return codeBlock(code, /^[\w+#.-]+/.exec(rest)?.[0])
    case 'example':
      return codeBlock(code)
    case 'quote':
      return `<blockquote>${reader.inner(lines)}</blockquote>\n`
    case 'verse':
      return `<p>${lines.map((line) => orgInline(line)).join('<br>')}</p>\n`
    case 'center':
      return `<div align="center">${reader.inner(lines)}</div>\n`
    case 'comment':
      return ''
    case 'html':
      return code
    case 'export':
      return /^html\b/i.test(rest) ? code : ''
    default:
      return reader.inner(lines)
  }
}

function dedent(lines: readonly string[]): string[] {
  const indents = lines
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length)
  const margin = indents.reduce((least, indent) => Math.min(least, indent), Infinity)
  return lines.map((line) => line.slice(margin))
}

function keyword(reader: OrgReader): string | undefined {
  const match = /^\s*#\+([\w-]+):\s*(.*)$/.exec(reader.line)
  if (!match) return undefined
  reader.at++
  const [, name, value] = match
  const key = name!.toLowerCase()
  if (key === 'title') return `<h1>${orgInline(value!)}</h1>\n`
  if (key === 'caption') return `<p><em>${orgInline(value!)}</em></p>\n`
  return key === 'toc' ? CONTENTS : ''
}

/** Properties and log books are not shown. */
function drawer(reader: OrgReader): string | undefined {
  if (!/^\s*:[\w-]+:\s*$/.test(reader.line)) return undefined
  const limit = Math.min(reader.lines.length, reader.at + 500)
  for (let at = reader.at + 1; at < limit; at++) {
    if (reader.lines[at]!.trim().toLowerCase() !== ':end:') continue
    reader.at = at + 1
    return ''
  }
  return undefined
}

function fixedWidth(reader: OrgReader): string | undefined {
  const lines: string[] = []
  while (!reader.isOver && /^\s*:( |$)/.test(reader.line)) {
    lines.push(reader.line.replace(/^\s*: ?/, ''))
    reader.at++
  }
  return lines.length > 0 ? codeBlock(lines.join('\n')) : undefined
}

function comment(reader: OrgReader): string | undefined {
  if (!/^\s*#( |$)/.test(reader.line)) return undefined
  reader.at++
  return ''
}

function rule(reader: OrgReader): string | undefined {
  if (!/^\s*-{5,}\s*$/.test(reader.line)) return undefined
  reader.at++
  return '<hr>\n'
}

function footnote(reader: OrgReader): string | undefined {
  const match = /^\[fn:([\w-]{1,60})\]\s*(.*)$/.exec(reader.line)
  if (!match) return undefined
  reader.at++
  const lines = [match[2]!]
  while (!reader.isOver && reader.line.trim() !== '' && !/^(\[fn:|\*+ )/.test(reader.line)) {
    lines.push(reader.line)
    reader.at++
  }
  const label = match[1]!
  const back = `${openTag('a', { href: `#fnr-${label}`, id: `fn-${label}` })}${label}</a>`
  reader.document.notes.push(`<p><sup>${back}</sup> ${orgInline(lines.join('\n'))}</p>\n`)
  return ''
}

function planning(reader: OrgReader): string | undefined {
  const line = reader.line.trim()
  if (!/^(DEADLINE|SCHEDULED|CLOSED):/.test(line)) return undefined
  reader.at++
  return `<p><small>${escapeHtml(line)}</small></p>\n`
}

function paragraph(reader: OrgReader): string {
  const lines = [reader.line.trim()]
  reader.at++
  while (!reader.isOver && !endsParagraph(reader.line)) {
    lines.push(reader.line.trim())
    reader.at++
  }
  return `<p>${orgInline(lines.join('\n'))}</p>\n`
}

function endsParagraph(line: string): boolean {
  return /^\s*$|^\*+ |^\s*(#\+|# |\||: |:[\w-]+:\s*$|-{5,}\s*$)|^\[fn:/.test(line) || isListItem(line)
}

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
function readTable(reader: OrgReader): string {
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
