import type { Database } from '../../../../db/database.ts'

/** What the source does to the target. */
export type StoredType = 'relates_to' | 'blocks'

/** A link between two issues as stored. */
export interface LinkRow {
  readonly id: number
  readonly source_id: number
  readonly target_id: number
  readonly link_type: StoredType
  readonly created_at: string
  readonly updated_at: string
}

/** Links of an issue in both directions, oldest first. */
export function ofIssue(db: Database, id: number): LinkRow[] {
  return db.many<LinkRow>(
    `SELECT * FROM issue_links WHERE source_id = ? UNION SELECT * FROM issue_links WHERE target_id = ? ORDER BY id`,
    id,
    id,
  )
}

export function byId(db: Database, id: number): LinkRow | undefined {
  return db.one<LinkRow>('SELECT * FROM issue_links WHERE id = ?', id)
}

/** The link between two issues, whichever way it goes. */
export function between(db: Database, a: number, b: number): LinkRow | undefined {
  return db.one<LinkRow>(
    `SELECT * FROM issue_links WHERE (source_id = ? AND target_id = ?) OR (source_id = ? AND target_id = ?)`,
    a,
    b,
    b,
    a,
  )
}

export function insert(db: Database, row: Omit<LinkRow, 'id'>): LinkRow {
  return db.one<LinkRow>(
    `INSERT INTO issue_links (source_id, target_id, link_type, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?) RETURNING *`,
    row.source_id,
    row.target_id,
    row.link_type,
    row.created_at,
    row.updated_at,
  )!
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM issue_links WHERE id = ?', id)
}
