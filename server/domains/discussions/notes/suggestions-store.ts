import type { Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import type { SuggestionsTable } from '../../../db/schema.gen.ts'

/** A suggested change of lines as stored. */
export type SuggestionRow = Selectable<SuggestionsTable>

/** A suggestion before it is stored. */
export type NewSuggestion = Pick<SuggestionRow, 'lines_above' | 'lines_below' | 'from_content' | 'to_content'>

/** A suggestion with the columns that decide whether it can be applied. */
export interface SuggestionView extends SuggestionRow {
  /** State and head of its merge request. */
  readonly request_state: string
  readonly request_head: string | null
}

const WITH_REQUEST = `SELECT s.*, m.state AS request_state, m.head_sha AS request_head
  FROM suggestions s JOIN notes n ON n.id = s.note_id JOIN merge_requests m ON m.id = n.noteable_id`

/** Returns the suggestions of notes by note, in the order of the text, with one query. */
export function ofNotes(db: Database, noteIds: readonly number[]): Map<number, SuggestionView[]> {
  if (noteIds.length === 0) return new Map()
  const rows = db.many<SuggestionView>(
    `${WITH_REQUEST} WHERE s.note_id IN (SELECT value FROM json_each(?)) ORDER BY s.note_id, s.relative_order`,
    jsonList(noteIds),
  )
  return Map.groupBy(rows, (row) => row.note_id)
}

/** Returns the suggestions with these IDs, in any order. Skips unknown IDs. */
export function byIds(db: Database, ids: readonly number[]): SuggestionView[] {
  return db.many<SuggestionView>(
    `${WITH_REQUEST} WHERE s.id IN (SELECT value FROM json_each(?))`,
    jsonList(ids),
  )
}

/** Marks suggestions as applied by a commit. */
export function markApplied(db: Database, ids: readonly number[], commit: string): void {
  db.exec(
    'UPDATE suggestions SET applied = 1, commit_id = ? WHERE id IN (SELECT value FROM json_each(?))',
    commit,
    jsonList(ids),
  )
}

/** Replaces the suggestions of a note. */
export function replace(db: Database, noteId: number, suggestions: readonly NewSuggestion[]): void {
  db.exec('DELETE FROM suggestions WHERE note_id = ?', noteId)
  for (const [relative_order, suggestion] of suggestions.entries())
    db.run(
      q.insertInto('suggestions').values({ ...suggestion, note_id: noteId, relative_order, applied: false }),
    )
}
