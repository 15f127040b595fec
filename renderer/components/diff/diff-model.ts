import { pairLines } from './diff-pairs.ts'
import { t } from '../../locales/t.ts'

/** One changed file as the API describes it; `diff` is the hunk text without any file head. */
export interface DiffEntry {
  diff: string
  old_path: string
  new_path: string
  a_mode?: string | null
  b_mode?: string | null
  new_file?: boolean
  renamed_file?: boolean
  deleted_file?: boolean
  generated_file?: boolean | null
  collapsed?: boolean | null
  too_large?: boolean | null
}

export interface DiffLine {
  kind: 'context' | 'add' | 'del'
  text: string
  /** Line number in the old file; null for an added line. */
  old: number | null
  /** Line number in the new file; null for a removed line. */
  new: number | null
  /** The line ends with CR LF; the CR is not part of `text`. */
  cr: boolean
  /** The file ends with this line and has no newline there. */
  noNewline: boolean
  /** The line on the other side that this one replaces. */
  pair: DiffLine | null
  /** Shown as unchanged, because white space is passed over; the other side has it with other blanks. */
  respaced?: boolean
}

export interface DiffHunk {
  oldStart: number
  oldCount: number
  newStart: number
  newCount: number
  /** The text after the line numbers of a hunk header: its function or section. */
  section: string
  lines: DiffLine[]
  /** Continues the previous hunk after the lines in between were loaded; it needs no header. */
  joined?: boolean
}

export interface DiffFile {
  index: number
  path: string
  oldPath: string
  change: 'added' | 'deleted' | 'renamed' | 'modified'
  hunks: DiffHunk[]
  additions: number
  deletions: number
  lineCount: number
  /** Generated: collapsed until requested. */
  generated: boolean
  /** A picture that browsers show. */
  picture: boolean
  /** A hash of the shown content. A viewed file with another hash counts as not viewed. */
  digest: string
  /** A sentence instead of the lines, or above them: binary, mode change, empty, too large. */
  remark: string | null
}

/** The number of threads about a file, and of the unresolved ones. */
export interface DiffMark {
  all: number
  open: number
}

/** Shown for a changed file without lines. */
export const LEFT_OUT = t('diff.no_lines_to_show_the_file_is_binary_or')

/** Shown for an added file without lines; its content decides between the three cases. */
export const NOT_SAID = t('diff.no_lines_to_show_the_file_is_empty')

/** An added file with the lines that were read of it; a binary one has none. */
export function withContent(file: DiffFile, text: string): DiffFile {
  if (text.includes('\0')) return { ...file, remark: t('diff.binary_file') }
  if (text === '') return { ...file, remark: t('diff.empty_file') }
  const count = text.replace(/\n$/, '').split('\n').length
  const added = `+${text.replace(/\n$/, '').replaceAll('\n', '\n+')}`
  const end = text.endsWith('\n') ? '' : '\n\\ No newline at end of file'
  const hunks = parseHunks(`@@ -0,0 +1,${count} @@\n${added}${end}`)
  return { ...file, hunks, additions: count, lineCount: count, remark: null }
}

const PICTURE = /\.(png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i
const GENERATED =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|Gemfile\.lock|composer\.lock|poetry\.lock|go\.sum|flake\.lock)$|\.(min\.(js|css)|map|snap)$/

const HUNK_HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/

/** Reads unified diff text. Lines outside a hunk (file heads, noise) are passed over, never an error. */
export function parseHunks(diff: string): DiffHunk[] {
  const hunks: DiffHunk[] = []
  const reader = new HunkReader()
  for (const raw of diff.split('\n')) {
    const head = reader.isDone() ? HUNK_HEAD.exec(raw) : null
    if (head) hunks.push(reader.open(head))
    else reader.take(raw)
  }
  for (const hunk of hunks) pairLines(hunk.lines)
  return hunks
}

/** Counts lines down from the hunk's head, so that a removed line `-- x` is not read as a file head. */
class HunkReader {
  private hunk: DiffHunk | null = null
  private oldLeft = 0
  private newLeft = 0

  isDone(): boolean {
    return this.oldLeft <= 0 && this.newLeft <= 0
  }

  open(head: RegExpExecArray): DiffHunk {
    const [, oldStart = '0', oldCount = '1', newStart = '0', newCount = '1', section = ''] = head
    this.oldLeft = Number(oldCount)
    this.newLeft = Number(newCount)
    this.hunk = {
      oldStart: Number(oldStart),
      oldCount: this.oldLeft,
      newStart: Number(newStart),
      newCount: this.newLeft,
      section: section.replace(/\r$/, ''),
      lines: [],
    }
    return this.hunk
  }

  take(raw: string): void {
    const hunk = this.hunk
    if (!hunk) return
    const sign = raw[0]
    if (sign === '\\') {
      const last = hunk.lines.at(-1)
      if (last) last.noNewline = true
      return
    }
    if (this.isDone()) return
    const cr = raw.endsWith('\r')
    const text = raw.slice(1, cr ? -1 : undefined)
    const line: DiffLine = { kind: 'context', text, old: null, new: null, cr, noNewline: false, pair: null }
    if (sign === '+') line.kind = 'add'
    else if (sign === '-') line.kind = 'del'
    if (line.kind !== 'add') line.old = hunk.oldStart + hunk.oldCount - this.oldLeft--
    if (line.kind !== 'del') line.new = hunk.newStart + hunk.newCount - this.newLeft--
    hunk.lines.push(line)
  }
}

/** Turns the API's entries into files with parsed hunks, counts and a remark where there is little to show. */
export function readDiff(entries: readonly DiffEntry[]): DiffFile[] {
  return entries.map(readFile)
}

function readFile(entry: DiffEntry, index: number): DiffFile {
  const binary = /^Binary files .* differ$|^GIT binary patch$/m.test(entry.diff.slice(0, 2000))
  const hunks = binary ? [] : parseHunks(entry.diff)
  let additions = 0
  let deletions = 0
  let lineCount = 0
  for (const hunk of hunks) {
    lineCount += hunk.lines.length
    for (const line of hunk.lines) {
      if (line.kind === 'add') additions++
      else if (line.kind === 'del') deletions++
    }
  }
  return {
    index,
    path: entry.new_path || entry.old_path,
    oldPath: entry.old_path || entry.new_path,
    change: changeOf(entry),
    hunks,
    additions,
    deletions,
    lineCount,
    generated: entry.generated_file ?? GENERATED.test(entry.new_path || entry.old_path),
    picture: hunks.length === 0 && PICTURE.test(entry.new_path || entry.old_path),
    digest: digestOf(entry.diff),
    remark: remarkOn(entry, binary, hunks.length),
  }
}

/** FNV-1a over the text and its length: enough to distinguish versions of a change. */
function digestOf(text: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return `${(hash >>> 0).toString(36)}.${text.length.toString(36)}`
}

function changeOf(entry: DiffEntry): DiffFile['change'] {
  if (entry.new_file) return 'added'
  if (entry.deleted_file) return 'deleted'
  return entry.renamed_file || entry.old_path !== entry.new_path ? 'renamed' : 'modified'
}

function remarkOn(entry: DiffEntry, binary: boolean, hunkCount: number): string | null {
  const parts = [modeRemark(entry)]
  if (binary) parts.push(t('diff.binary_file_there_are_no_lines_to'))
  else if (entry.too_large) parts.push(t('diff.this_change_is_too_large_to_be_shown'))
  else if (entry.collapsed && hunkCount === 0) parts.push(t('diff.the_server_left_this_change_out_of_its'))
  else if (hunkCount === 0) parts.push(emptyRemark(entry))
  return parts.filter(Boolean).join(' ') || null
}

function emptyRemark(entry: DiffEntry): string {
  if (entry.new_file) return NOT_SAID
  if (entry.deleted_file) return t('diff.empty_or_binary_file_deleted')
  if (entry.renamed_file) return t('diff.renamed_without_changes')
  return modeRemark(entry) ? '' : LEFT_OUT
}

function modeRemark(entry: DiffEntry): string {
  const { a_mode: from, b_mode: to } = entry
  if (!from || !to || from === to || entry.new_file || entry.deleted_file) return ''
  if (from === '100644' && to === '100755') return t('diff.made_executable')
  if (from === '100755' && to === '100644') return t('diff.no_longer_executable')
  return t('diff.mode_changed_from_from_to_to', { from, to })
}
