import type { DiffFile, DiffHunk, DiffLine } from './diff-model.ts'
import { splitPairs } from './diff-pairs.ts'

export type DiffLayout = 'unified' | 'split'

interface RowBase {
  key: string
  file: DiffFile
}

/** One row of the single list over all files. */
export type DiffRow =
  | (RowBase & { kind: 'file' })
  | (RowBase & { kind: 'remark'; text: string })
  | (RowBase & { kind: 'hunk'; hunk: DiffHunk })
  | (RowBase & { kind: 'unified'; hunk: DiffHunk; line: DiffLine })
  | (RowBase & { kind: 'split'; hunk: DiffHunk; left: DiffLine | null; right: DiffLine | null })
  | (RowBase & { kind: 'extra'; id: string })
  | (RowBase & { kind: 'gap' })

export interface RowOptions {
  layout: DiffLayout
  /** Files folded away, by path. */
  collapsed: ReadonlySet<string>
  /** Lines (see `lineId`) that carry something below them, such as a conversation. */
  extras?: ReadonlySet<string>
}

/** Names a line of the diff: `<new path>:<old number>:<new number>`, empty where a side has none. */
export function lineId(file: DiffFile, line: DiffLine): string {
  return `${file.path}:${line.old ?? ''}:${line.new ?? ''}`
}

/** Lays the files out as rows, in order. Linear in the number of lines. */
export function layOut(files: readonly DiffFile[], options: RowOptions): DiffRow[] {
  const rows: DiffRow[] = []
  for (const file of files) {
    const id = `${file.index}`
    rows.push({ kind: 'file', key: `${id}f`, file })
    if (options.collapsed.has(file.path)) continue
    if (file.remark) rows.push({ kind: 'remark', key: `${id}r`, file, text: file.remark })
    file.hunks.forEach((hunk, at) => {
      rows.push({ kind: 'hunk', key: `${id}h${at}`, file, hunk })
      if (options.layout === 'split') pushSplit(rows, file, hunk, `${id}s${at}.`, options.extras)
      else pushUnified(rows, file, hunk, `${id}u${at}.`, options.extras)
    })
    rows.push({ kind: 'gap', key: `${id}g`, file })
  }
  return rows
}

type Extras = ReadonlySet<string> | undefined

function pushUnified(rows: DiffRow[], file: DiffFile, hunk: DiffHunk, prefix: string, extras: Extras): void {
  hunk.lines.forEach((line, i) => {
    rows.push({ kind: 'unified', key: prefix + i, file, hunk, line })
    pushExtra(rows, file, line, extras)
  })
}

function pushSplit(rows: DiffRow[], file: DiffFile, hunk: DiffHunk, prefix: string, extras: Extras): void {
  splitPairs(hunk.lines).forEach(({ left, right }, i) => {
    rows.push({ kind: 'split', key: prefix + i, file, hunk, left, right })
    if (left && left !== right) pushExtra(rows, file, left, extras)
    if (right) pushExtra(rows, file, right, extras)
  })
}

function pushExtra(rows: DiffRow[], file: DiffFile, line: DiffLine, extras: Extras): void {
  if (!extras?.size) return
  const id = lineId(file, line)
  if (extras.has(id)) rows.push({ kind: 'extra', key: `x${id}`, file, id })
}
