import type { Database } from '../../db/database.ts'

/** Ref updates that git was about to make; see `service-refs.ts`. */
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

/** The project with the repository in this folder. */
export function projectAt(db: Database, diskPath: string): number | undefined {
  return db.one<{ id: number }>('SELECT id FROM projects WHERE disk_path = ?', diskPath)?.id
}

/** Deletes a journal row, and the rows of interrupted attempts at the same updates. */
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

/** Counts a push. Returns the number of pushes so far; undefined for a deleted project. */
export function countPush(db: Database, projectId: number): number | undefined {
  return db.one<{ pushes_count: number }>(
    'UPDATE projects SET pushes_count = pushes_count + 1 WHERE id = ? RETURNING pushes_count',
    projectId,
  )?.pushes_count
}
