import { flagOf, shaOf, textOf, wholeOf } from '../checked.ts'
import type { Fields, Source, Target } from '../relation.ts'
import { takeEach } from './part.ts'

interface SuggestionRow extends Fields {
  readonly applied: boolean
}

/** The changes of lines that a note offers, in their order. */
export function suggestionRecords(from: Source, noteId: number): Fields[] {
  const rows = from.db.many<SuggestionRow>(
    `SELECT relative_order, applied, commit_id, from_content, to_content, lines_above, lines_below FROM suggestions
     WHERE note_id = ? ORDER BY relative_order`,
    noteId,
  )
  return rows.map((row) => ({ ...row, applied: row.applied, outdated: false }))
}

/** Takes over what a note offers. */
export function takeSuggestions(records: readonly Fields[], into: Target, noteId: number): void {
  takeEach(into, 'suggestions', records, (record) => {
    into.insert('suggestions', {
      note_id: noteId,
      relative_order: wholeOf(record, 'relative_order', { min: 0, max: 10_000 }) ?? 0,
      lines_above: wholeOf(record, 'lines_above', { min: 0, max: 100 }) ?? 0,
      lines_below: wholeOf(record, 'lines_below', { min: 0, max: 100 }) ?? 0,
      from_content: textOf(record, 'from_content') ?? '',
      to_content: textOf(record, 'to_content') ?? '',
      applied: flagOf(record, 'applied'),
      commit_id: shaOf(record, 'commit_id'),
    })
  })
}
