import type { Database } from '../../../../db/database.ts'
import { table } from '../../../../db/table.ts'

/** The stored types. `blocks`: the source blocks the target. */
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

/** Lists the links of an issue in both directions, oldest first. */
export function ofIssue(db: Database, id: number): LinkRow[] {
  return db.many<LinkRow>(
    `SELECT * FROM issue_links WHERE source_id = ? UNION SELECT * FROM issue_links WHERE target_id = ? ORDER BY id`,
    id,
    id,
  )
}

export const { byId, remove } = table('issue_links')

/** Returns the link between two issues, in any direction. */
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
