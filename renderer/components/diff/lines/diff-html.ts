import { columns, shown } from '../../code/columns.ts'
import type { DiffLine } from '../diff-model.ts'
import { escapeHtml, markRanges } from '../../code/highlight-html.ts'
import { wordDiff, type TextRange, type WordChanges } from './word-diff.ts'
import { count } from '../../../composables/time.ts'
import { t } from '../../../locales/t.ts'

const words = new WeakMap<DiffLine, WordChanges | null>()

/** Compared when first shown, then remembered by the removed line. */
function changedWords(line: DiffLine): readonly TextRange[] {
  const pair = line.pair
  if (!pair) return []
  const [before, after] = line.kind === 'del' ? [line, pair] : [pair, line]
  let changes = words.get(before)
  if (changes === undefined) {
    changes = wordDiff(before.text, after.text)
    words.set(before, changes)
  }
  return (line.kind === 'del' ? changes?.old : changes?.new) ?? []
}

/** HTML of one line: colours if there are any, changed words marked, remarks on what cannot be seen. */
export function lineHtml(line: DiffLine, coloured: string | undefined): string {
  const { text, left } = shown(line.text)
  if (left > 0) return `${escapeHtml(text)}${aside(t('diff.left_more_characters', { left: count(left) }))}`
  return markRanges(coloured ?? escapeHtml(text), changedWords(line)) + aside(remark(line))
}

/** The number of columns of a line on the screen, including annotations. */
export function lineColumns(line: DiffLine): number {
  const { text, left } = shown(line.text)
  const note = left > 0 ? 32 : remark(line).length
  return columns(text) + (note ? note + 2 : 0)
}

function aside(text: string): string {
  return text ? `<em>${escapeHtml(text)}</em>` : ''
}

function remark(line: DiffLine): string {
  const parts: string[] = []
  if (line.pair && line.pair.text === line.text && line.pair.cr !== line.cr)
    parts.push(line.cr ? t('diff.cr_lf') : 'LF')
  if (line.noNewline) parts.push(t('diff.no_newline_at_end_of_file'))
  return parts.join(', ')
}
