import { pairLines } from './diff-pairs.ts'
import type { DiffFile, DiffHunk, DiffLine } from '../diff-model.ts'
import { walk } from '../line-diff.ts'
import { t } from '../../../locales/t.ts'

/** The changes without whitespace changes: such lines are shown as unchanged. */
export function withoutSpace(files: readonly DiffFile[]): DiffFile[] {
  return files.map((file) => {
    if (file.hunks.length === 0) return file
    const hunks = file.hunks.map(respace).filter((hunk) => hunk.lines.some((line) => line.kind !== 'context'))
    const lines = hunks.flatMap((hunk) => hunk.lines)
    return {
      ...file,
      hunks,
      additions: lines.filter((line) => line.kind === 'add').length,
      deletions: lines.filter((line) => line.kind === 'del').length,
      lineCount: lines.length,
      remark: hunks.length === 0 ? t('diff.only_whitespace_changes') : file.remark,
    }
  })
}

const squeeze = (line: DiffLine): string => line.text.replace(/\s+/g, '')

function respace(hunk: DiffHunk): DiffHunk {
  const lines: DiffLine[] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  const flush = () => {
    lines.push(...merge(removed, added))
    removed = []
    added = []
  }
  for (const line of hunk.lines) {
    if (line.kind === 'context') {
      flush()
      lines.push(line)
    } else if (line.kind === 'del') {
      if (added.length > 0) flush()
      removed.push(line)
    } else added.push(line)
  }
  flush()
  const copy = lines.map((line) => ({ ...line, pair: null }))
  pairLines(copy)
  return { ...hunk, lines: copy }
}

/** Lines with the same letters become one. */
function merge(removed: DiffLine[], added: DiffLine[]): DiffLine[] {
  if (removed.length === 0 || added.length === 0) return removed.length > 0 ? removed : added
  const out: DiffLine[] = []
  let before = 0
  let after = 0
  for (const step of walk(removed.map(squeeze), added.map(squeeze))) {
    if (step.kind === '-') out.push(removed[before++]!)
    else if (step.kind === '+') out.push(added[after++]!)
    else {
      const was = removed[before++]!
      const is = added[after++]!
      out.push({ ...is, kind: 'context', old: was.old, respaced: true })
    }
  }
  return out
}
