import { codeBlock, escapeHtml, HeadingIds, openTag } from '../html.ts'
import { rdocInline } from './inline.ts'

/** Deeper nesting is shown as plain text. */
const MAX_DEPTH = 20

/** RDoc as HTML, which must be sanitized afterwards. The time is linear in the length of the text. */
export function rdocHtml(text: string): string {
  const lines = text
    .replaceAll('\0', '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.replaceAll('\t', '        ').trimEnd())
  return new Reader(lines, 0, new HeadingIds()).read()
}

const NUMBERED = /^(\s*)(\d{1,9}\.|[a-zA-Z]\.)( +)(.*)$/
const BULLET = /^(\s*)([*-])( +)(.*)$/
const BRACKET = /^(\s*)\[([^\]]{1,300})\]( *)(.*)$/
const COLONS = /^(\s*)(\S.{0,300}?)::(?: +(.*))?$/

type ListKind = 'ul' | 'ol' | 'dl'

interface Item {
  readonly kind: ListKind
  readonly indent: number
  /** The label, in a labeled list. */
  readonly label?: string
  readonly text: string
}

function itemAt(line: string): Item | undefined {
  const marker = BULLET.exec(line) ?? NUMBERED.exec(line)
  if (marker) {
    const kind = /[*-]/.test(marker[2]!) ? 'ul' : 'ol'
    return { kind, indent: marker[1]!.length, text: marker[4]! }
  }
  const bracket = BRACKET.exec(line)
  if (bracket && (bracket[3] !== '' || bracket[4] === ''))
    return { kind: 'dl', indent: bracket[1]!.length, label: bracket[2]!, text: bracket[4]! }
  const colons = COLONS.exec(line)
  if (!colons) return undefined
  return { kind: 'dl', indent: colons[1]!.length, label: colons[2]!, text: colons[3] ?? '' }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

class Reader {
  #at = 0
  readonly lines: readonly string[]
  readonly depth: number
  readonly ids: HeadingIds

  constructor(lines: readonly string[], depth: number, ids: HeadingIds) {
    this.lines = lines
    this.depth = depth
    this.ids = ids
  }

  /** The lines as HTML. The indentation of the first line is their margin. */
  read(): string {
    const html: string[] = []
    const margin = indentOf(this.lines.find((line) => line !== '') ?? '')
    while (this.#at < this.lines.length) html.push(this.#block(margin))
    return html.join('')
  }

  #block(margin: number): string {
    const line = this.lines[this.#at]!
    if (line === '') return this.#skip()
    const heading = /^ *(={1,6}) *([^\s=].*)$/.exec(line)
    if (heading) return this.#heading(heading[1]!.length, heading[2]!)
    if (/^\s*-{3,}$/.test(line)) return this.#skip('<hr>\n')
    // A directive, which only tools that read source code need.
    if (/^\s*:[\w-]{1,40}:/.test(line)) return this.#skip()
    if (/^\s*>>>$/.test(line)) return this.#quote()
    const item = itemAt(line)
    if (item) return this.#list(item)
    return indentOf(line) > margin ? this.#verbatim(margin) : this.#paragraph(margin)
  }

  #skip(html = ''): string {
    this.#at++
    return html
  }

  #heading(level: number, title: string): string {
    this.#at++
    const id = this.ids.next(title)
    const start = openTag(`h${level}`, { id: id === '' ? undefined : `user-content-${id}` })
    return `${start}${rdocInline(title)}</h${level}>\n`
  }

  #inner(lines: readonly string[]): string {
    if (this.depth >= MAX_DEPTH) return `<pre>${escapeHtml(lines.join('\n'))}</pre>`
    return new Reader(lines, this.depth + 1, this.ids).read()
  }

  #quote(): string {
    const indent = indentOf(this.lines[this.#at]!)
    this.#at++
    return `<blockquote>${this.#inner(this.#linesBelow(indent))}</blockquote>\n`
  }

  #list({ kind, indent }: Item): string {
    const items: string[] = []
    while (this.#at < this.lines.length) {
      const item = itemAt(this.lines[this.#at]!)
      if (item?.kind !== kind || item.indent !== indent) break
      this.#at++
      items.push(this.#item(item))
      this.#skipBlankLinesBefore((line) => itemAt(line)?.indent === indent)
    }
    return `<${kind}>${items.join('')}</${kind}>\n`
  }

  /** Blank lines between two items do not end their list. */
  #skipBlankLinesBefore(continuesList: (line: string) => boolean): void {
    let at = this.#at
    while (this.lines[at] === '') at++
    if (at < this.lines.length && continuesList(this.lines[at]!)) this.#at = at
  }

  #item({ kind, indent, label, text }: Item): string {
    const lines = this.#linesBelow(indent)
    // An item's text ends where another block begins.
    const isText = (line: string): boolean =>
      line !== '' && !itemAt(line) && !/^\s*(=|>>>$|-{3,}$)/.test(line)
    const next = lines.findIndex((line) => !isText(line))
    const ownLines = next < 0 ? lines : lines.slice(0, next)
    const words = rdocInline([text, ...ownLines.map((line) => line.trim())].join('\n').trim())
    const rest = next < 0 ? '' : this.#inner(lines.slice(next))
    if (kind === 'dl') return `<dt>${rdocInline(label ?? '')}</dt><dd>${words}${rest}</dd>`
    return `<li>${words}${rest}</li>`
  }

  /** Lines that are indented further, and the blank ones between them. */
  #linesBelow(indent: number): string[] {
    const start = this.#at
    let end = start
    for (let at = start; at < this.lines.length; at++) {
      const line = this.lines[at]!
      if (line === '') continue
      if (indentOf(line) <= indent) break
      end = at + 1
    }
    this.#at = end
    return this.lines.slice(start, end)
  }

  #verbatim(margin: number): string {
    const lines = this.#linesBelow(margin)
    const minIndent = lines.reduce(
      (smallest, line) => (line === '' ? smallest : Math.min(smallest, indentOf(line))),
      Infinity,
    )
    return codeBlock(lines.map((line) => line.slice(minIndent)).join('\n'))
  }

  #paragraph(margin: number): string {
    const words = [this.lines[this.#at]!.trim()]
    this.#at++
    while (this.#at < this.lines.length) {
      const line = this.lines[this.#at]!
      const isEnd =
        line === '' ||
        indentOf(line) > margin ||
        itemAt(line) ||
        /^\s*(={1,6} *[^\s=]|-{3,}$|>>>$)/.test(line)
      if (isEnd) break
      words.push(line.trim())
      this.#at++
    }
    return `<p>${rdocInline(words.join('\n'))}</p>\n`
  }
}
