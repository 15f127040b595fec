import { sql } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import type { Database } from '../../db/database.ts'
import { selectAll } from '../../db/lists.ts'
import { isoDate } from '../../lib/clock.ts'
import { visibleGroups } from '../members/index.ts'
import type { InvitedGroupRow } from './group.ts'

/** A group that was invited into another, as stored. */
export interface LinkRow {
  readonly id: number
  readonly shared_group_id: number
  readonly group_id: number
  readonly access_level: number
  readonly expires_at: string | null
}

/** The groups that were invited into a group, as far as the actor may know of them. */
export function invitedInto(ctx: Ctx, groupId: number): InvitedGroupRow[] {
  return selectAll(
    ctx.db,
    sql<InvitedGroupRow>`SELECT l.group_id, n.name AS group_name, n.full_path AS group_full_path,
        l.access_level AS group_access_level, l.expires_at
      FROM group_group_links l JOIN namespaces n ON n.id = l.group_id
      WHERE l.shared_group_id = ${groupId} AND ${visibleGroups(ctx)}
        AND (l.expires_at IS NULL OR l.expires_at > ${isoDate(ctx.now)}) ORDER BY l.id`,
  )
}

export function find(db: Database, sharedGroupId: number, groupId: number): LinkRow | undefined {
  return db.one<LinkRow>(
    `SELECT id, shared_group_id, group_id, access_level, expires_at FROM group_group_links
     WHERE shared_group_id = ? AND group_id = ?`,
    sharedGroupId,
    groupId,
  )
}

/** Invites a group. Throws `UniqueViolation` when it is invited already. */
export function insert(db: Database, link: Omit<LinkRow, 'id'> & { created_at: string }): void {
  db.exec(
    'INSERT INTO group_group_links (shared_group_id, group_id, access_level, expires_at, created_at) VALUES (?, ?, ?, ?, ?)',
    link.shared_group_id,
    link.group_id,
    link.access_level,
    link.expires_at,
    link.created_at,
  )
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM group_group_links WHERE id = ?', id)
}
