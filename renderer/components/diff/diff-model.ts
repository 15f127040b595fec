import { pairLines } from './lines/diff-pairs.ts'
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
  additions?: number
  deletions?: number
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
  /** The server left the lines out because of their number; they can be loaded. */
  leftOut: boolean
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
  const counted = countLines(hunks)
  const leftOut = hunks.length === 0 && Boolean(entry.too_large || entry.collapsed)
  const { additions, deletions } = leftOut ? { ...counted, ...countsOf(entry) } : counted
  return {
    index,
    path: entry.new_path || entry.old_path,
    oldPath: entry.old_path || entry.new_path,
    change: changeOf(entry),
    hunks,
    additions,
    deletions,
    lineCount: counted.lineCount,
    leftOut,
    generated: entry.generated_file ?? GENERATED.test(entry.new_path || entry.old_path),
    picture: hunks.length === 0 && PICTURE.test(entry.new_path || entry.old_path),
    digest: digestOf(leftOut ? `+${additions}-${deletions}` : entry.diff),
    remark: remarkOn(entry, binary, hunks.length),
  }
}

function countsOf({ additions = 0, deletions = 0 }: DiffEntry): Pick<DiffFile, 'additions' | 'deletions'> {
  return { additions, deletions }
}

function countLines(hunks: readonly DiffHunk[]): Pick<DiffFile, 'additions' | 'deletions' | 'lineCount'> {
  const lines = hunks.flatMap((hunk) => hunk.lines)
  return {
    additions: lines.filter((line) => line.kind === 'add').length,
    deletions: lines.filter((line) => line.kind === 'del').length,
    lineCount: lines.length,
  }
}

/** A file with the lines that were loaded later. It keeps its position and its mark as viewed. */
export function withLines(file: DiffFile, entry: DiffEntry): DiffFile {
  const loaded = { ...readFile(entry, file.index), digest: file.digest }
  return loaded.leftOut
    ? { ...loaded, leftOut: false, remark: t('diff.too_large_to_show_here_open_the_file') }
    : loaded
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
  if (binary) parts.push(t('diff.binary_file_not_shown'))
  else if (entry.too_large) parts.push(t('diff.too_large_to_show'))
  else if (entry.collapsed && hunkCount === 0) parts.push(t('diff.not_loaded_the_diff_is_very_long'))
  else if (hunkCount === 0) parts.push(emptyRemark(entry))
  return parts.filter(Boolean).join(' ') || null
}

function emptyRemark(entry: DiffEntry): string {
  if (entry.new_file) return t('diff.empty_file')
  if (entry.deleted_file) return t('diff.empty_file_deleted')
  if (entry.renamed_file) return t('diff.renamed_without_changes')
  return modeRemark(entry) ? '' : t('diff.no_lines_changed')
}

function modeRemark(entry: DiffEntry): string {
  const { a_mode: from, b_mode: to } = entry
  if (!from || !to || from === to || entry.new_file || entry.deleted_file) return ''
  if (from === '100644' && to === '100755') return t('diff.made_executable')
  if (from === '100755' && to === '100644') return t('diff.no_longer_executable')
  return t('diff.mode_changed_from_from_to_to', { from, to })
}
