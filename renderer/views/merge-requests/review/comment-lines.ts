import type { DiffFile, DiffLine } from '../../../components/diff/diff-model.ts'
import { fileId, lineId } from '../../../components/diff/diff-rows.ts'
import type { Position } from '../../../components/discussion/target.ts'
import { t } from '../../../locales/t.ts'

/** The commits of a diff, as in positions. */
export type Refs = { base_sha: string; start_sha: string; head_sha: string }
type Located = { old_path?: string; new_path?: string; old_line?: number | null; new_line?: number | null }

/** A line with whitespace changes only counts as added, because the old number belongs to a removed line. */
const numbersOf = (line: DiffLine) => ({
  ...(line.new === null ? {} : { new_line: line.new }),
  ...(line.old === null || line.respaced ? {} : { old_line: line.old }),
})

const endOf = (line: DiffLine) => {
  const isNew = line.respaced || line.kind === 'add'
  return {
    ...(isNew ? { type: 'new' as const } : line.kind === 'del' ? { type: 'old' as const } : {}),
    ...numbersOf(line),
  }
}

/** The position of a line, or of a range that ends with it, for the API (spec core 5.5). */
export const positionOf = (file: DiffFile, last: DiffLine, first: DiffLine, refs: Refs) => ({
  ...refs,
  position_type: 'text' as const,
  old_path: file.oldPath,
  new_path: file.path,
  ...numbersOf(last),
  ...(first === last ? {} : { line_range: { start: endOf(first), end: endOf(last) } }),
})

/** The target of a positioned note: a line of the diff by its id, or the whole file if it has no such line. */
export const byLine = <T>(
  files: readonly DiffFile[],
  things: readonly T[],
  locate: (thing: T) => Located | null | undefined,
): { lines: Map<string, T[]>; files: Map<string, T[]> } => {
  const lines = new Map<string, T[]>()
  const inFiles = new Map<string, T[]>()
  const found = new Map<string, { file: DiffFile; old: Map<number, DiffLine>; new: Map<number, DiffLine> }>()
  const indexOf = (file: DiffFile) => {
    const known = found.get(file.path)
    if (known) return known
    const made = { file, old: new Map<number, DiffLine>(), new: new Map<number, DiffLine>() }
    for (const line of file.hunks.flatMap((hunk) => hunk.lines)) {
      if (line.old !== null) made.old.set(line.old, line)
      if (line.new !== null) made.new.set(line.new, line)
    }
    found.set(file.path, made)
    return made
  }
  for (const thing of things) {
    const position = locate(thing)
    const file =
      position && files.find((one) => one.path === position.new_path || one.oldPath === position.old_path)
    if (!position || !file) continue
    const index = indexOf(file)
    const line =
      position.new_line != null
        ? index.new.get(position.new_line)
        : position.old_line != null
          ? index.old.get(position.old_line)
          : undefined
    const id = line ? lineId(file, line) : fileId(file.path)
    const list = lines.get(id) ?? []
    list.push(thing)
    lines.set(id, list)
    inFiles.set(file.path, [...(inFiles.get(file.path) ?? []), thing])
  }
  return { lines, files: inFiles }
}

/** The position of a note in words: `line 12`, `lines 8 to 12`. */
export const lineWords = (position: Position): string => {
  const last = position.new_line ?? position.old_line
  if (last == null) return ''
  const start = position.line_range?.start
  const first = start ? (start.new_line ?? start.old_line) : null
  return first != null && first !== last
    ? t('merge_requests.lines_first_to_last', { first, last })
    : t('merge_requests.line_last', { last })
}
