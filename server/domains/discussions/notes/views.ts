import type { Database } from '../../../db/database.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import { byIds, type NoteRow } from './store.ts'
import { ofNotes, type SuggestionView } from './suggestions-store.ts'

/** A note with the data of its entity. */
export interface NoteView extends NoteRow {
  readonly author: UserBasicRow
  readonly resolved_by: UserBasicRow | null
  /** IID of the issue or merge request. */
  readonly noteable_iid: number | null

  readonly suggestions: readonly SuggestionView[]
  /** The changes of the quick actions in the text. Set only in the answer to the request that wrote the note. */
  readonly commands_changes?: Readonly<Record<string, unknown>>
}

/** Adds users and suggestions to notes, with one query each. */
export function viewsOf(db: Database, rows: readonly NoteRow[], noteableIid: number | null): NoteView[] {
  const people = usersById(
    db,
    rows.flatMap((row) => [row.author_id, row.resolved_by_id ?? row.author_id]),
  )
  const suggestions = ofNotes(
    db,
    rows.filter((row) => row.type === 'DiffNote').map((row) => row.id),
  )
  return rows.map((row) => ({
    ...row,
    author: people.get(row.author_id)!,
    resolved_by: people.get(row.resolved_by_id ?? 0) ?? null,
    noteable_iid: noteableIid,
    suggestions: suggestions.get(row.id) ?? [],
  }))
}

/** Returns the notes with these IDs, by ID. */
export function notesById(db: Database, ids: readonly number[]): Map<number, NoteView> {
  if (ids.length === 0) return new Map()
  return new Map(viewsOf(db, byIds(db, ids), null).map((note) => [note.id, note]))
}
