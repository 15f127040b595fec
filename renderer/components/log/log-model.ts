import { AnsiUp } from 'ansi_up'

/** A line as it is shown: coloured, and as plain text for the search. */
export type LogLine = {
  kind: 'line'
  /** From 1, as people count. */
  number: number
  html: string
  text: string
  /** The time at which the runner wrote it, if known. */
  at: string | null
  sections: readonly LogSection[]
}

/** A part of the log that can be folded away. */
export type LogSection = {
  kind: 'section'
  /** Counted in the log, from 0. */
  id: number
  name: string
  title: string
  startsClosed: boolean
  /** Seconds since 1970; the end is null while it lasts. */
  start: number
  end: number | null
  sections: readonly LogSection[]
}

/** A row of the log in its order. */
export type LogRow = LogLine | LogSection

const MARK = /section_(start|end):(\d{1,12}):([\w.-]{1,200})(\[[^\]]{0,200}\])?\r(?:\u001b\[0K)?/g
/** The prefix of newer runners on each line: time, stream, and whether it continues the previous line. */
const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) [0-9a-f]{2}[OE]([ +])/
/** Erases, cursor moves and titles of terminals mean nothing in a log that only grows. */
// oxlint-disable-next-line no-control-regex
const CONTROLS =
  /\u001b\[[0-9;?]*[A-LN-Za-ln-z]|\u001b\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)|\u001b[()][A-Z0-9]/g
// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001b\[[0-9;]*m/g
const WEB = /https?:\/\/[^\s<>"'&]+(?:&amp;[^\s<>"'&]+)*/g
/** A line without an end is cut here, so that one of many megabytes does not stop the window. */
const MAX_LINE = 20_000

/** Parses a log incrementally: applies overwritten lines and recognizes sections. */
export class LogModel {
  readonly rows: LogRow[] = []
  #ansi = fresh()
  #rest = ''
  #open: LogSection[] = []
  #sections = 0
  #lines = 0
  /** An unfinished line is shown, and replaced when more of it arrives. */
  #unfinished: { rows: number; lines: number; ansi: object; sections: number; open: LogSection[] } | null =
    null

  /** Parses the next part of the log. */
  append(text: string): void {
    this.#takeBack()
    const parts = (this.#rest + text).split('\n')
    this.#rest = parts.pop() ?? ''
    for (const part of parts) this.#line(part)
    if (this.#rest !== '') this.#showUnfinished()
  }

  /** How many lines there are. */
  get lines(): number {
    return this.#lines
  }

  #showUnfinished(): void {
    this.#unfinished = {
      rows: this.rows.length,
      lines: this.#lines,
      ansi: stateOf(this.#ansi),
      sections: this.#sections,
      open: this.#open,
    }
    this.#line(this.#rest.slice(0, MAX_LINE))
  }

  #takeBack(): void {
    if (!this.#unfinished) return
    this.rows.length = this.#unfinished.rows
    this.#lines = this.#unfinished.lines
    this.#sections = this.#unfinished.sections
    this.#open = this.#unfinished.open
    Object.assign(this.#ansi, this.#unfinished.ansi)
    this.#unfinished = null
  }

  #line(whole: string): void {
    const stamp = STAMP.exec(whole)
    const body = stamp ? whole.slice(stamp[0].length) : whole
    let from = 0
    let had = false
    for (const mark of body.matchAll(MARK)) {
      this.#text(body.slice(from, mark.index), stamp, false)
      from = mark.index + mark[0].length
      had = true
      if (mark[1] === 'end') this.#end(mark[3]!, Number(mark[2]))
      else from += this.#start(mark, body.slice(from))
    }
    // Ignores lines with markers only.
    this.#text(body.slice(from), stamp, !had)
  }

  /** Opens a section with the rest of the line as its title. Returns the number of consumed characters. */
  #start(mark: RegExpExecArray, rest: string): number {
    const next = rest.search(/section_(?:start|end):\d/)
    const title = next < 0 ? rest : rest.slice(0, next)
    const section: LogSection = {
      kind: 'section',
      id: this.#sections++,
      name: mark[3]!,
      title: plain(title).trim() || mark[3]!.replaceAll('_', ' '),
      startsClosed: /collapsed=true/.test(mark[4] ?? ''),
      start: Number(mark[2]),
      end: null,
      sections: this.#open,
    }
    this.rows.push(section)
    this.#open = [...this.#open, section]
    return title.length
  }

  /** Closes a section and its open inner sections. */
  #end(name: string, at: number): void {
    const index = this.#open.findLastIndex((one) => one.name === name)
    if (index < 0) return
    for (const one of this.#open.slice(index)) one.end ??= at
    this.#open = this.#open.slice(0, index)
  }

  #text(given: string, stamp: RegExpExecArray | null, isLine: boolean): void {
    const shown = overwritten(given.replace(CONTROLS, ''))
    if (!isLine && plain(shown).trim() === '') return
    const html = linked(this.#ansi.ansi_to_html(shown))
    const text = shown.replace(COLOURS, '')
    const last = this.rows.at(-1)
    if (stamp?.[2] === '+' && last?.kind === 'line') {
      this.rows[this.rows.length - 1] = { ...last, html: last.html + html, text: last.text + text }
      return
    }
    this.#lines += 1
    this.rows.push({
      kind: 'line',
      number: this.#lines,
      html,
      text,
      at: stamp?.[1] ?? null,
      sections: this.#open,
    })
  }
}

function fresh(): AnsiUp {
  const ansi = new AnsiUp()
  ansi.use_classes = true
  return ansi
}

/** The colors of the following text, and an incomplete color sequence. */
function stateOf(ansi: AnsiUp): object {
  const { fg, bg, bold, faint, italic, underline, _buffer } = ansi as unknown as Record<string, unknown>
  return { fg, bg, bold, faint, italic, underline, _buffer }
}

/** What remains of a line in which the cursor went back to its start; each part overwrites the one before. */
function overwritten(line: string): string {
  const parts = line.replace(/\r+$/, '').split('\r')
  return parts.findLast((part) => part !== '') ?? ''
}

function plain(text: string): string {
  return text.replace(CONTROLS, '').replace(COLOURS, '')
}

/** Addresses of the web become links; the text is escaped already. */
function linked(html: string): string {
  if (!html.includes('http') || html.includes('<a')) return html
  return html.replace(
    WEB,
    (url) => `<a class="u" href="${url}" target="_blank" rel="noopener noreferrer">${url}</a>`,
  )
}
