import type { Insertable, Selectable } from 'kysely'

import { q, type Database } from '../../db/database.ts'
import type { NotesTable, SuggestionsTable } from '../../db/schema.gen.ts'

// Writes of imported and copied notes. They publish no events.

/** Inserts a note. Returns its ID. */
export function insertNoteRow(db: Database, row: Insertable<NotesTable>): number {
  return db.run(q.insertInto('notes').values(row)).id
}

/** The columns that a reply copies from the note that it answers. */
export type AnsweredNote = Pick<
  Selectable<NotesTable>,
  'id' | 'discussion_id' | 'type' | 'position' | 'noteable_id' | 'noteable_type'
>

/** Returns the note that a reply answers. */
export function answeredNote(db: Database, id: number): AnsweredNote | undefined {
  const sql = 'SELECT id, discussion_id, type, position, noteable_id, noteable_type FROM notes WHERE id = ?'
  return db.one<AnsweredNote>(sql, id)
}

/** Makes a single note the first note of a thread. */
export function startThread(db: Database, noteId: number, resolvable: boolean): void {
  db.exec("UPDATE notes SET type = 'DiscussionNote', resolvable = ? WHERE id = ?", resolvable, noteId)
}

/** Inserts a suggestion of a note. */
export function insertSuggestion(db: Database, row: Insertable<SuggestionsTable>): void {
  db.run(q.insertInto('suggestions').values(row))
}

/** Copies the emoji of a note or an issue to another one. */
export function copyEmoji(db: Database, type: 'Issue' | 'Note', from: number, to: number): void {
  db.exec(
    `INSERT INTO award_emoji (awardable_type, awardable_id, user_id, name, created_at, updated_at)
     SELECT awardable_type, ?, user_id, name, created_at, updated_at FROM award_emoji
     WHERE awardable_type = ? AND awardable_id = ?`,
    to,
    type,
    from,
  )
}
