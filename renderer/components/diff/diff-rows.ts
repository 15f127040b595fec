import type { DiffFile, DiffHunk, DiffLine } from './diff-model.ts'
import { splitPairs } from './lines/diff-pairs.ts'

export type DiffLayout = 'unified' | 'split'

interface RowBase {
  key: string
  file: DiffFile
}

/** One row of the single list over all files. */
export type DiffRow =
  | (RowBase & { kind: 'file' })
  | (RowBase & { kind: 'remark'; text: string })
  | (RowBase & { kind: 'held'; text: string })
  | (RowBase & { kind: 'picture' })
  | (RowBase & { kind: 'hunk'; hunk: DiffHunk; at: number })
  | (RowBase & { kind: 'end' })
  | (RowBase & { kind: 'unified'; hunk: DiffHunk; line: DiffLine })
  | (RowBase & { kind: 'split'; hunk: DiffHunk; left: DiffLine | null; right: DiffLine | null })
  | (RowBase & { kind: 'extra'; id: string })
  | (RowBase & { kind: 'gap' })

export interface RowOptions {
  layout: DiffLayout
  /** Files folded away, by path. */
  collapsed: ReadonlySet<string>
  /** Lines (see `lineId`) and whole files (see `fileId`) that carry something below them, such as a conversation. */
  extras?: ReadonlySet<string>
  /** Files that are collapsed until requested, with the reason. */
  held?: ReadonlyMap<string, string>
  /** Pictures are shown as pictures. */
  pictures?: boolean
  /** Files with unchanged lines below the last hunk that can be fetched. */
  hasEnd?: (file: DiffFile) => boolean
}

/** Names a line of the diff: `<new path>:<old number>:<new number>`, empty if a side has none. */
export function lineId(file: DiffFile, line: DiffLine): string {
  return `${file.path}:${line.old ?? ''}:${line.new ?? ''}`
}

/** Stands for the whole file instead of a line. */
export function fileId(path: string): string {
  return `${path}::`
}

/** Lays the files out as rows, in order. Linear in the number of lines. */
export function layOut(files: readonly DiffFile[], options: RowOptions): DiffRow[] {
  const rows: DiffRow[] = []
  for (const file of files) {
    const id = `${file.index}`
    rows.push({ kind: 'file', key: `${id}f`, file })
    if (options.collapsed.has(file.path)) continue
    const held = options.held?.get(file.path)
    if (file.remark && file.remark !== held && !(file.picture && options.pictures))
      rows.push({ kind: 'remark', key: `${id}r`, file, text: file.remark })
    if (file.picture && options.pictures) rows.push({ kind: 'picture', key: `${id}p`, file })
    if (options.extras?.has(fileId(file.path)))
      rows.push({ kind: 'extra', key: `x${fileId(file.path)}`, file, id: fileId(file.path) })
    if (held) rows.push({ kind: 'held', key: `${id}b`, file, text: held })
    else pushHunks(rows, file, id, options)
    rows.push({ kind: 'gap', key: `${id}g`, file })
  }
  return rows
}

function pushHunks(rows: DiffRow[], file: DiffFile, id: string, options: RowOptions): void {
  file.hunks.forEach((hunk, at) => {
    if (!hunk.joined) rows.push({ kind: 'hunk', key: `${id}h${at}`, file, hunk, at })
    if (options.layout === 'split') pushSplit(rows, file, hunk, `${id}s${at}.`, options.extras)
    else pushUnified(rows, file, hunk, `${id}u${at}.`, options.extras)
  })
  if (options.hasEnd?.(file)) rows.push({ kind: 'end', key: `${id}e`, file })
}

type Extras = ReadonlySet<string> | undefined

function pushUnified(rows: DiffRow[], file: DiffFile, hunk: DiffHunk, prefix: string, extras: Extras): void {
  hunk.lines.forEach((line) => {
    rows.push({ kind: 'unified', key: `${prefix}${line.old ?? ''}.${line.new ?? ''}`, file, hunk, line })
    pushExtra(rows, file, line, extras)
  })
}

function pushSplit(rows: DiffRow[], file: DiffFile, hunk: DiffHunk, prefix: string, extras: Extras): void {
  splitPairs(hunk.lines).forEach(({ left, right }) => {
    const key = `${prefix}${left?.old ?? ''}.${right?.new ?? ''}`
    rows.push({ kind: 'split', key, file, hunk, left, right })
    if (left && left !== right) pushExtra(rows, file, left, extras)
    if (right) pushExtra(rows, file, right, extras)
  })
}

function pushExtra(rows: DiffRow[], file: DiffFile, line: DiffLine, extras: Extras): void {
  if (!extras?.size) return
  const id = lineId(file, line)
  if (extras.has(id)) rows.push({ kind: 'extra', key: `x${id}`, file, id })
}
