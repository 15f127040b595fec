import { parseRawLine } from '../write/changes.ts'
import type { Change } from '../write/changes.ts'
import { unquotePath } from '../parse.ts'

/** A changed file from the raw lines. */
export interface RawFile {
  readonly change: Change
  /** The first line of the file's section of the patch. */
  readonly header: string
}

const LINE_FEED = 10
const COLON = 58
const TYPE_CHANGED = 84
/** The maximum length of a line, more than two paths of the maximum length need. */
const MAX_LINE = 1024 * 1024

/**
 * Parses raw lines from chunks of any size. Holds at most `max` files in memory and only counts the others, which can be
 * hundreds of thousands.
 */
export class RawLines {
  readonly #max: number
  readonly #files: RawFile[] = []
  #total = 0
  /** The beginning of an incomplete line; `#isTooLong` if the line exceeds the maximum length. */
  #rest: Buffer = Buffer.alloc(0)
  #isTooLong = false

  constructor(max: number) {
    this.#max = max
  }

  /** The first files, at most `max`, in order. */
  get files(): RawFile[] {
    return this.#files
  }

  /** The number of all files. */
  get total(): number {
    return this.#total
  }

  add(bytes: Buffer): void {
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      this.#addLine(this.#joined(bytes.subarray(start, end)))
      this.#rest = this.#rest.subarray(0, 0)
      this.#isTooLong = false
      start = end + 1
    }
    if (start < bytes.length) this.#rest = this.#joined(bytes.subarray(start))
  }

  #joined(bytes: Buffer): Buffer {
    if (this.#rest.length === 0) return bytes
    if (this.#rest.length + bytes.length <= MAX_LINE) return Buffer.concat([this.#rest, bytes])
    this.#isTooLong = true
    return this.#rest
  }

  #addLine(line: Buffer): void {
    if (line[0] !== COLON) return
    // A file that becomes a symbolic link, or the reverse, is shown as deleted and added.
    const isTypeChange = line[line.indexOf('\t') - 1] === TYPE_CHANGED
    this.#total += isTypeChange ? 2 : 1
    if (this.#files.length >= this.#max || this.#isTooLong) return
    const result = parse(line.toString('latin1'))
    this.#files.push(...result.slice(0, this.#max - this.#files.length))
  }
}

function parse(line: string): RawFile[] {
  const [head = '', oldQuoted = '', newQuoted = oldQuoted] = line.split('\t')
  const change = { ...parseRawLine(head), old_path: toText(oldQuoted), new_path: toText(newQuoted) }
  const header = `diff --git ${withPrefix('a/', oldQuoted)} ${withPrefix('b/', newQuoted)}`
  return change.status === 'type_changed'
    ? deletionAndAddition(change).map((part) => ({ change: part, header }))
    : [{ change, header }]
}

function deletionAndAddition(change: Change): [Change, Change] {
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
