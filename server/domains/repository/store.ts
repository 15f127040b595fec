import type { Database } from '../../db/database.ts'

/** Ref updates that git was about to make; see `refs-updated.ts`. */
export interface JournalRow {
  readonly id: number
  readonly project_id: number
  readonly actor_id: number | null
  readonly source: 'push' | 'api' | 'merge' | 'mirror'
  /** JSON list of updates. */
  readonly updates: string
  /** JSON list of texts. */
  readonly push_options: string
  readonly created_at: string
}

const COLUMNS = 'id, project_id, actor_id, source, updates, push_options, created_at'

export function insertJournal(db: Database, row: Omit<JournalRow, 'id'>): number {
  return db.exec(
    `INSERT INTO ref_journal (project_id, actor_id, source, updates, push_options, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    row.project_id,
    row.actor_id,
    row.source,
    row.updates,
    row.push_options,
    row.created_at,
  ).id
}

/** Removes a row, and what an interrupted attempt at the very same updates left behind. */
export function removeJournal(db: Database, row: { id: number; project_id: number; updates: string }): void {
  db.exec(
    'DELETE FROM ref_journal WHERE project_id = ? AND (id = ? OR updates = ?)',
    row.project_id,
    row.id,
    row.updates,
  )
}

export function journal(db: Database): JournalRow[] {
  return db.many<JournalRow>(`SELECT ${COLUMNS} FROM ref_journal ORDER BY id`)
}

export function journalRow(db: Database, id: number): JournalRow | undefined {
  return db.one<JournalRow>(`SELECT ${COLUMNS} FROM ref_journal WHERE id = ?`, id)
}
