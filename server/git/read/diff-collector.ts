import type { Change } from '../write/changes.ts'
import type { Diff, DiffLimits, FileDiff } from './diff.ts'
import { LineCounter, type DiffSection } from './diff-sections.ts'
import { RawLines } from './raw-lines.ts'

interface FileText {
  readonly diff: string
  readonly binary: boolean
  readonly additions: number
  readonly deletions: number
  readonly too_large: boolean
}

const NO_TEXT: FileText = { diff: '', binary: false, additions: 0, deletions: 0, too_large: false }
/** The maximum size of the lines above the hunks, which contain two quoted paths. */
const HEAD_BYTES = 64 * 1024
const LINE_FEED = 10

/** Combines the sections of a diff with the raw lines about its files, within the limits. */
export class DiffCollector {
  readonly #maxFiles: number
  readonly #maxLines: number
  readonly #maxBytes: number
  readonly #maxFileBytes: number
  readonly #raw: RawLines
  #hasRawLines = false
  readonly #files: FileDiff[] = []
  #lines = 0
  #bytes = 0
  #isFull = false

  constructor(limits: DiffLimits) {
    this.#maxFiles = limits.max_files ?? 1000
    this.#raw = new RawLines(this.#maxFiles)
    this.#maxLines = limits.max_lines ?? 50_000
    this.#maxBytes = limits.max_bytes ?? 5 * 1024 * 1024
    this.#maxFileBytes = limits.max_file_bytes ?? 200 * 1024
  }

  /** The number of bytes of a section that the collector needs. */
  get maxSectionBytes(): number {
    return this.#maxFileBytes + HEAD_BYTES
  }

  /** Adds raw lines. An empty section follows them. */
  addRaw(bytes: Buffer): void {
    this.#raw.add(bytes)
  }

  /** Adds a section. The first one, for the raw lines, is empty. Returns false when no more sections are needed. */
  add(section: DiffSection): boolean {
    const expected = this.#raw.files
    if (!this.#hasRawLines) {
      this.#hasRawLines = true
      return expected.length > 0
    }
    const end = section.bytes.indexOf(LINE_FEED)
    const header = section.bytes.toString('latin1', 0, end === -1 ? undefined : end)
    // A file has no section if only white space changed and white space is ignored.
    const index = expected.findIndex((file) => file.header === header)
    if (index === -1) return expected.length > 0
    for (const file of expected.splice(0, index)) this.#files.push(toFile(file.change, NO_TEXT, false))
    const [file] = expected.splice(0, 1)
    this.#addFile(file!.change, readText(section, this.#maxFileBytes))
    return expected.length > 0 && !this.#isFull
  }

  /** True when a limit over all files was reached. */
  get isFull(): boolean {
    return this.#isFull
  }

  finish(): Diff {
    for (const file of this.#raw.files) this.#files.push(toFile(file.change, NO_TEXT, this.#isFull))
    return {
      files: this.#files,
      total_files: this.#raw.total,
      overflow: this.#isFull || this.#raw.total > this.#maxFiles,
    }
  }

  #addFile(change: Change, text: FileText): void {
    if (!text.too_large) this.#lines += text.additions + text.deletions
    this.#bytes += text.diff.length
    this.#isFull ||= this.#lines > this.#maxLines || this.#bytes > this.#maxBytes
    this.#files.push(toFile(change, this.#isFull ? { ...text, diff: '', binary: false } : text, this.#isFull))
  }
}

function readText(section: DiffSection, maxBytes: number): FileText {
  const { bytes } = section
  const at = bytes.indexOf('\n@@ -')
  if (at === -1) {
    const [sentence] = /^Binary files .* differ$/m.exec(bytes.toString('utf8')) ?? []
    return sentence === undefined ? NO_TEXT : { ...NO_TEXT, diff: `${sentence}\n`, binary: true }
  }
  const hunks = bytes.subarray(at + 1)
  const counter = new LineCounter()
  counter.add(hunks)
  const additions = counter.additions + section.rest.additions
  const deletions = counter.deletions + section.rest.deletions
  if (section.truncated || hunks.length > maxBytes)
    return { ...NO_TEXT, additions, deletions, too_large: true }
  return { ...NO_TEXT, additions, deletions, diff: hunks.toString('utf8') }
}

function toFile(change: Change, text: FileText, collapsed: boolean): FileDiff {
  return {
    old_path: change.old_path,
    new_path: change.new_path,
    a_mode: change.old_mode === '000000' ? '0' : change.old_mode,
    b_mode: change.new_mode === '000000' ? '0' : change.new_mode,
    old_id: change.old_id,
    new_id: change.new_id,
    new_file: change.status === 'added' || change.status === 'copied',
    renamed_file: change.status === 'renamed',
    deleted_file: change.status === 'deleted',
    ...text,
    collapsed,
  }
}
