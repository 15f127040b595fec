import { sql } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { jsonList, type Database } from '../../db/database.ts'
import { selectAll } from '../../db/lists.ts'
import { isoDate } from '../../lib/clock.ts'
import { visibleGroups } from '../members/index.ts'

/** A group that a project is shared with, as stored. */
export interface LinkRow {
  readonly id: number
  readonly project_id: number
  readonly group_id: number
  readonly access_level: number
  readonly expires_at: string | null
}

/** The same as projects show it. */
export interface SharedGroupRow {
  readonly group_id: number
  readonly group_name: string
  readonly group_full_path: string
  readonly group_access_level: number
  readonly expires_at: string | null
}

const NONE: readonly SharedGroupRow[] = []
const ANY = 'SELECT EXISTS (SELECT 1 FROM project_group_links WHERE project_id = ?) AS found'

/**
 * The groups that projects are shared with, as far as the actor may know of them. Most projects are not shared, which a
 * short question to the index settles.
 */
export function sharesOf(ctx: Ctx, ids: readonly number[]): ReadonlyMap<number, readonly SharedGroupRow[]> {
  const shared = ids.filter((id) => ctx.db.one<{ found: number }>(ANY, id)!.found === 1)
  const found = new Map<number, SharedGroupRow[]>()
  if (shared.length === 0) return found
  const rows = selectAll(
    ctx.db,
    sql<SharedGroupRow & { project_id: number }>`SELECT l.project_id, l.group_id, n.name AS group_name,
        n.full_path AS group_full_path, l.access_level AS group_access_level, l.expires_at
      FROM project_group_links l JOIN namespaces n ON n.id = l.group_id
      WHERE l.project_id IN (SELECT value FROM json_each(${jsonList(shared)})) AND ${visibleGroups(ctx)}
        AND (l.expires_at IS NULL OR l.expires_at > ${isoDate(ctx.now)}) ORDER BY l.id`,
  )
  for (const { project_id, ...row } of rows) found.set(project_id, [...(found.get(project_id) ?? NONE), row])
  return found
}

/** Shares a project with a group. Throws `UniqueViolation` when it is so already. */
export function insert(db: Database, link: Omit<LinkRow, 'id'> & { created_at: string }): LinkRow {
  const { id } = db.exec(
    'INSERT INTO project_group_links (project_id, group_id, access_level, expires_at, created_at) VALUES (?, ?, ?, ?, ?)',
    link.project_id,
    link.group_id,
    link.access_level,
    link.expires_at,
    link.created_at,
  )
  const { project_id, group_id, access_level, expires_at } = link
  return { id, project_id, group_id, access_level, expires_at }
}

export function find(db: Database, projectId: number, groupId: number): LinkRow | undefined {
  return db.one<LinkRow>(
    `SELECT id, project_id, group_id, access_level, expires_at FROM project_group_links
     WHERE project_id = ? AND group_id = ?`,
    projectId,
    groupId,
  )
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM project_group_links WHERE id = ?', id)
}

/** Links whose day has come. */
export function expired(db: Database, today: string): LinkRow[] {
  return db.many<LinkRow>(
    `SELECT id, project_id, group_id, access_level, expires_at FROM project_group_links
     WHERE expires_at <= ? ORDER BY id LIMIT 1000`,
    today,
  )
}
