import { parseRawLine } from '../write/changes.ts'
import type { Change } from '../write/changes.ts'
import { unquotePath } from '../parse.ts'

/** A file of the raw lines. */
export interface Expected {
  readonly change: Change
  /** First line of its section of the patch. */
  readonly header: string
}

const LINE_FEED = 10
const COLON = 58
const TYPE_CHANGED = 84
/** Longer than any line with two paths that a disk could store. */
const MAX_LINE = 1024 * 1024

/**
 * Parses raw lines from chunks of any size. It keeps at most `max` files and only counts the others, which can be
 * hundreds of thousands.
 */
export class RawLines {
  readonly #max: number
  readonly #files: Expected[] = []
  #total = 0
  /** The beginning of a line; `#isCut` when it is too long to be kept. */
  #rest: Buffer = Buffer.alloc(0)
  #isCut = false

  constructor(max: number) {
    this.#max = max
  }

  /** The first of the files, in their order. */
  get files(): Expected[] {
    return this.#files
  }

  /** The number of files. */
  get total(): number {
    return this.#total
  }

  add(bytes: Buffer): void {
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      this.#line(this.#joined(bytes.subarray(start, end)))
      this.#rest = this.#rest.subarray(0, 0)
      this.#isCut = false
      start = end + 1
    }
    if (start < bytes.length) this.#rest = this.#joined(bytes.subarray(start))
  }

  #joined(bytes: Buffer): Buffer {
    if (this.#rest.length === 0) return bytes
    if (this.#rest.length + bytes.length <= MAX_LINE) return Buffer.concat([this.#rest, bytes])
    this.#isCut = true
    return this.#rest
  }

  #line(line: Buffer): void {
    if (line[0] !== COLON) return
    // A file that becomes a symbolic link, or the reverse, is shown as deleted and added.
    const isTwo = line[line.indexOf('\t') - 1] === TYPE_CHANGED
    this.#total += isTwo ? 2 : 1
    if (this.#files.length >= this.#max || this.#isCut) return
    const result = parse(line.toString('latin1'))
    this.#files.push(...result.slice(0, this.#max - this.#files.length))
  }
}

function parse(line: string): Expected[] {
  const [head = '', oldQuoted = '', newQuoted = oldQuoted] = line.split('\t')
  const change = { ...parseRawLine(head), old_path: toText(oldQuoted), new_path: toText(newQuoted) }
  const header = `diff --git ${withPrefix('a/', oldQuoted)} ${withPrefix('b/', newQuoted)}`
  return change.status === 'type_changed'
    ? halves(change).map((half) => ({ change: half, header }))
    : [{ change, header }]
}

function halves(change: Change): [Change, Change] {
  const zero = '0'.repeat(change.old_id.length)
  return [
    { ...change, status: 'deleted', new_mode: '000000', new_id: zero },
    { ...change, status: 'added', old_mode: '000000', old_id: zero },
  ]
}

function toText(quoted: string): string {
  const bytes = unquotePath(quoted)
  // Most names are ASCII and need no conversion.
  return /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes
}

function withPrefix(prefix: string, quoted: string): string {
  return quoted.startsWith('"') ? `"${prefix}${quoted.slice(1)}` : prefix + quoted
}
