import type { Ctx } from '../../ctx.ts'
import { sql, type SqlBool, type RawBuilder } from 'kysely'
import { jsonList, type Database } from '../../db/database.ts'
import { isoDate } from '../../lib/clock.ts'
import { likePattern, boundedCount, selectAll } from '../../db/lists.ts'
import { VISIBILITY_RANK, type Visibility } from '../../policy/levels.ts'
import { visibleGroups } from '../members/index.ts'
import { NO_SIZES, type Group, type GroupSizes, type InvitedGroupRow } from './types.ts'
import type { UserBasicRow } from '../users/index.ts'

/** Returns true if the parent has a direct subgroup with the name. */
export function isNameTaken(db: Database, parentId: number, name: string, exceptId?: number): boolean {
  const row = db.one(
    "SELECT 1 FROM namespaces WHERE parent_id = ? AND kind = 'group' AND name = ? COLLATE NOCASE AND id IS NOT ?",
    parentId,
    name,
    exceptId,
  )
  return row !== undefined
}

/** Returns the sizes of the projects and the wiki of each group in bytes, without subgroups. */
export function sizes(db: Database, ids: readonly number[]): Map<number, GroupSizes> {
  const rows = db.many<GroupSizes & { id: number }>(
    `SELECT p.namespace_id AS id, sum(p.repository_size) AS repository_size, sum(p.wiki_size) AS wiki_size,
       sum(p.lfs_objects_size) AS lfs_objects_size, sum(p.job_artifacts_size) AS job_artifacts_size,
       sum(p.pipeline_artifacts_size) AS pipeline_artifacts_size, sum(p.packages_size) AS packages_size,
       sum(p.snippets_size) AS snippets_size, sum(p.uploads_size) AS uploads_size
     FROM projects p WHERE p.namespace_id IN (SELECT value FROM json_each(?)) GROUP BY p.namespace_id`,
    jsonList(ids),
  )
  const sizesById = new Map<number, GroupSizes>(rows.map(({ id, ...rest }) => [id, rest]))

  const wikis = db.many<{ id: number; bytes: number }>(
    `SELECT group_id AS id, repository_size AS bytes FROM wikis
     WHERE group_id IN (SELECT value FROM json_each(?))`,
    jsonList(ids),
  )
  for (const { id, bytes } of wikis) {
    const ownSizes = sizesById.get(id) ?? NO_SIZES
    sizesById.set(id, { ...ownSizes, wiki_size: ownSizes.wiki_size + bytes })
  }
  return sizesById
}

/** Returns the visibilities of direct subgroups. */
export function visibilitiesBelow(db: Database, id: number): string[] {
  const sql = 'SELECT DISTINCT visibility FROM namespaces WHERE parent_id = ?'
  return db.many<{ visibility: string }>(sql, id).map((row) => row.visibility)
}

/** Returns the ids of the groups that are more visible than `widest`. */
export function groupsWiderThan(db: Database, ids: readonly number[], widest: Visibility): number[] {
  const wider = Object.entries(VISIBILITY_RANK).filter(([, rank]) => rank > VISIBILITY_RANK[widest])
  const rows = db.many<{ id: number }>(
    `SELECT id FROM namespaces WHERE id IN (SELECT value FROM json_each(?)) AND visibility IN (SELECT value FROM json_each(?))`,
    jsonList(ids),
    jsonList(wider.map(([name]) => name)),
  )
  return rows.map((row) => row.id)
}

/** Returns the ids of groups that were marked for deletion on that day or earlier. */
export function markedUntil(db: Database, day: string): number[] {
  const sql = 'SELECT id FROM namespaces WHERE marked_for_deletion_on <= ? ORDER BY id LIMIT 1000'
  return db.many<{ id: number }>(sql, day).map((row) => row.id)
}

/** Returns groups with the columns in the event of a deletion, the deepest groups first. */
export function groupsDeepestFirst(
  db: Database,
  ids: readonly number[],
): (Pick<Group, 'id' | 'name' | 'path' | 'full_path' | 'parent_id' | 'created_at' | 'updated_at'> & {
  readonly parent_name: string | null
})[] {
  return db.many(
    `SELECT n.id, n.name, n.path, n.full_path, n.parent_id, n.created_at, n.updated_at, p.name AS parent_name
     FROM namespaces n LEFT JOIN namespaces p ON p.id = n.parent_id
     WHERE n.id IN (SELECT value FROM json_each(?)) ORDER BY json_array_length(n.lineage) DESC, n.id`,
    jsonList(ids),
  )
}

/** A stored share of a group with an invited group. */
export interface ShareRow {
  readonly id: number
  readonly shared_group_id: number
  readonly group_id: number
  readonly access_level: number
  readonly expires_at: string | null
}

/** Returns the groups that are invited to a group and that the viewer may see. */
export function invitedGroupsOf(
  db: Database,
  viewer: Pick<Ctx, 'actor' | 'now'>,
  groupId: number,
): InvitedGroupRow[] {
  return selectAll(
    db,
    sql<InvitedGroupRow>`SELECT l.group_id, n.name AS group_name, n.full_path AS group_full_path,
        l.access_level AS group_access_level, l.expires_at
      FROM group_group_links l JOIN namespaces n ON n.id = l.group_id
      WHERE l.shared_group_id = ${groupId} AND ${visibleGroups(viewer)}
        AND (l.expires_at IS NULL OR l.expires_at > ${isoDate(viewer.now)}) ORDER BY l.id`,
  )
}

export function findShare(db: Database, sharedGroupId: number, groupId: number): ShareRow | undefined {
  return db.one<ShareRow>(
    `SELECT id, shared_group_id, group_id, access_level, expires_at FROM group_group_links
     WHERE shared_group_id = ? AND group_id = ?`,
    sharedGroupId,
    groupId,
  )
}

/** Filters of the users that a group provisioned. */
export interface ProvisionedFilter {
  username?: string | undefined
  search?: string | undefined
  active?: boolean | undefined
  blocked?: boolean | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

function provisionedConditions(groupId: number, filter: ProvisionedFilter): RawBuilder<SqlBool> {
  const conditions = [sql<SqlBool>`u.provisioned_by_group_id = ${groupId}`]
  if (filter.username !== undefined) conditions.push(sql<SqlBool>`u.username = ${filter.username}`)
  if (filter.search) {
    const like = likePattern(filter.search)
    conditions.push(
      sql<SqlBool>`(u.name LIKE ${like} ESCAPE '\\' OR u.username LIKE ${like} ESCAPE '\\' OR u.email = ${filter.search})`,
    )
  }
  if (filter.active) conditions.push(sql<SqlBool>`u.state = 'active'`)
  if (filter.blocked) conditions.push(sql<SqlBool>`u.state = 'blocked'`)
  if (filter.created_after) conditions.push(sql<SqlBool>`u.created_at >= ${filter.created_after}`)
  if (filter.created_before) conditions.push(sql<SqlBool>`u.created_at <= ${filter.created_before}`)
  return sql.join(conditions, sql` AND `)
}

/** Returns one page of the users that a group provisioned, ordered by id. */
export function listProvisioned(
  db: Database,
  groupId: number,
  filter: ProvisionedFilter,
  window: { limit: number; offset: number },
): { rows: UserBasicRow[]; total: number } {
  const from = sql`FROM users u WHERE ${provisionedConditions(groupId, filter)}`
  const rows = selectAll(
    db,
    sql<UserBasicRow>`SELECT u.id, u.username, u.name, u.state, u.avatar ${from}
      ORDER BY u.id LIMIT ${window.limit} OFFSET ${window.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT u.id ${from}`) }
}
