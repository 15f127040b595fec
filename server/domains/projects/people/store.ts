import { sql, type SqlBool, type RawBuilder } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { jsonList, type Database } from '../../../db/database.ts'
import { likePattern, boundedCount, selectAll } from '../../../db/lists.ts'
import { isoDate } from '../../../lib/clock.ts'
import { groupsOfMember, visibleGroups } from '../../members/index.ts'
import { GUEST, MAINTAINER } from '../../../policy/levels.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import type { Project } from '../types.ts'
import type { UserBasicRow } from '../../users/index.ts'

/** Moves the shares and the stars of one project to another. */
export function moveSharesAndStars(db: Database, fromProject: number, toProject: number): void {
  for (const table of ['project_group_links', 'project_stars'])
    db.exec(`UPDATE OR IGNORE ${table} SET project_id = ? WHERE project_id = ?`, toProject, fromProject)
}

/** A share of a project with a group, as stored. */
export interface ProjectShareRow {
  readonly id: number
  readonly project_id: number
  readonly group_id: number
  readonly access_level: number
  readonly expires_at: string | null
}

/** A share with the name and path of its group. */
export interface SharedGroupRow {
  readonly group_id: number
  readonly group_name: string
  readonly group_full_path: string
  readonly group_access_level: number
  readonly expires_at: string | null
}

const NO_SHARES: readonly SharedGroupRow[] = []
const HAS_SHARES = 'SELECT EXISTS (SELECT 1 FROM project_group_links WHERE project_id = ?) AS found'
const SOME_SHARES = 'SELECT EXISTS (SELECT 1 FROM project_group_links) AS found'

/**
 * Returns the shares of projects with groups that the actor may see. Most projects have no share, so short queries run
 * first.
 */
export function sharesOf(ctx: Ctx, ids: readonly number[]): ReadonlyMap<number, readonly SharedGroupRow[]> {
  const byProject = new Map<number, SharedGroupRow[]>()
  const { db } = ctx
  const isFound = (sql: string, ...ids: number[]) => db.one<{ found: number }>(sql, ...ids)!.found === 1
  if (!db.rememberRows('projects.some_shares', () => isFound(SOME_SHARES))) return byProject
  const shared = ids.filter((id) => isFound(HAS_SHARES, id))
  if (shared.length === 0) return byProject
  const rows = selectAll(
    ctx.db,
    sql<SharedGroupRow & { project_id: number }>`SELECT l.project_id, l.group_id, n.name AS group_name,
        n.full_path AS group_full_path, l.access_level AS group_access_level, l.expires_at
      FROM project_group_links l JOIN namespaces n ON n.id = l.group_id
      WHERE l.project_id IN (SELECT value FROM json_each(${jsonList(shared)})) AND ${visibleGroups(ctx)}
        AND (l.expires_at IS NULL OR l.expires_at > ${isoDate(ctx.now)}) ORDER BY l.id`,
  )
  for (const { project_id, ...row } of rows)
    byProject.set(project_id, [...(byProject.get(project_id) ?? NO_SHARES), row])
  return byProject
}

/** Shares a project with a group. Throws `UniqueViolation` if the share exists. */
export function insertShare(
  db: Database,
  share: Omit<ProjectShareRow, 'id'> & { created_at: string },
): ProjectShareRow {
  const { id } = db.exec(
    'INSERT INTO project_group_links (project_id, group_id, access_level, expires_at, created_at) VALUES (?, ?, ?, ?, ?)',
    share.project_id,
    share.group_id,
    share.access_level,
    share.expires_at,
    share.created_at,
  )
  const { project_id, group_id, access_level, expires_at } = share
  return { id, project_id, group_id, access_level, expires_at }
}

export function shareWith(db: Database, projectId: number, groupId: number): ProjectShareRow | undefined {
  return db.one<ProjectShareRow>(
    `SELECT id, project_id, group_id, access_level, expires_at FROM project_group_links
     WHERE project_id = ? AND group_id = ?`,
    projectId,
    groupId,
  )
}

export function removeShare(db: Database, id: number): void {
  db.exec('DELETE FROM project_group_links WHERE id = ?', id)
}

/** Shares that expire today or earlier. */
export function expiredShares(db: Database, today: string): ProjectShareRow[] {
  return db.many<ProjectShareRow>(
    `SELECT id, project_id, group_id, access_level, expires_at FROM project_group_links
     WHERE expires_at <= ? ORDER BY id LIMIT 1000`,
    today,
  )
}

/** Adds or removes a star; returns false if nothing changed. A trigger updates the project's count. */
export function setStarred(
  db: Database,
  star: { project_id: number; user_id: number; starred: boolean; now: string },
): boolean {
  if (!star.starred) {
    return (
      db.exec('DELETE FROM project_stars WHERE user_id = ? AND project_id = ?', star.user_id, star.project_id)
        .changes > 0
    )
  }
  const sql =
    'INSERT INTO project_stars (user_id, project_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
  return db.exec(sql, star.user_id, star.project_id, star.now).changes > 0
}

/** Returns one page of the users who starred a project, latest first. */
export function starrers(
  db: Database,
  filter: { project_id: number; search?: string | undefined },
  window: { limit: number; offset: number },
): { rows: StarRow[]; total: number } {
  const conditions: RawBuilder<SqlBool>[] = [
    sql<SqlBool>`s.project_id = ${filter.project_id}`,
    sql<SqlBool>`u.state = 'active'`,
  ]
  if (filter.search) {
    const like = likePattern(filter.search)
    conditions.push(sql<SqlBool>`(u.name LIKE ${like} ESCAPE '\\' OR u.username LIKE ${like} ESCAPE '\\')`)
  }
  const from = sql`FROM project_stars s JOIN users u ON u.id = s.user_id WHERE ${sql.join(conditions, sql` AND `)}`
  const query = sql<StarRow>`SELECT u.id, u.username, u.name, u.state, u.avatar, s.created_at AS starred_since ${from}
    ORDER BY s.created_at DESC, u.id DESC LIMIT ${window.limit} OFFSET ${window.offset}`
  return { rows: selectAll(db, query), total: boundedCount(db, sql`SELECT 1 ${from}`) }
}

/** The filters of a list of a project's groups. */
export interface GroupsRequest {
  readonly search?: string | undefined
  readonly skip_groups?: readonly number[] | undefined
  readonly with_shared?: boolean | undefined
  /** Only groups with a share. */
  readonly only_shared?: boolean | undefined
  readonly shared_min_access_level?: number | undefined
  readonly shared_visible_only?: boolean | undefined
}

/**
 * Returns the parent groups of a project from the top down, and on request the groups that it is shared with. The
 * result contains only groups that the actor may see, so `shared_visible_only` needs no filter.
 */
export function groupsOfProject(
  ctx: Ctx,
  project: Project,
  request: GroupsRequest,
  window: { limit: number; offset: number },
): { rows: NamespaceRow[]; total: number } {
  const isAncestor = sql`n.id IN (SELECT value FROM json_each(${project.lineage}))`
  const level = request.shared_min_access_level ?? GUEST
  const isShared = sql`n.id IN (SELECT l.group_id FROM project_group_links l WHERE l.project_id = ${project.id}
    AND l.access_level >= ${level} AND (l.expires_at IS NULL OR l.expires_at > ${isoDate(ctx.now)}))`
  const like = likePattern(request.search ?? '')
  const from = sql`FROM namespaces n WHERE n.kind = 'group'
    AND ${visibleGroups(ctx)}
    AND ${request.only_shared ? isShared : request.with_shared ? sql`(${isAncestor} OR ${isShared})` : isAncestor}
    ${request.search ? sql`AND (n.name LIKE ${like} ESCAPE '\\' OR n.full_path LIKE ${like} ESCAPE '\\')` : sql``}
    ${
      request.skip_groups?.length
        ? sql`AND n.id NOT IN (SELECT value FROM json_each(${jsonList(request.skip_groups)}))`
        : sql``
    }`
  const page = sql<NamespaceRow>`SELECT n.* ${from} ORDER BY ${isAncestor} DESC, length(n.lineage), n.id
    LIMIT ${window.limit} OFFSET ${window.offset}`
  return { rows: selectAll(ctx.db, page), total: boundedCount(ctx.db, sql`SELECT 1 ${from}`) }
}

/** Returns groups that a project may be shared with: visible to the actor, and not shared with yet. */
export function shareLocations(
  ctx: Ctx,
  project: Project,
  search: string | undefined,
  window: { limit: number; offset: number },
): { rows: NamespaceRow[]; total: number } {
  const like = likePattern(search ?? '')
  const from = sql`FROM namespaces n WHERE n.kind = 'group' AND ${visibleGroups(ctx)}
    AND n.id NOT IN (SELECT value FROM json_each(${project.lineage}))
    AND n.id NOT IN (SELECT l.group_id FROM project_group_links l WHERE l.project_id = ${project.id})
    ${search ? sql`AND (n.name LIKE ${like} ESCAPE '\\' OR n.full_path LIKE ${like} ESCAPE '\\')` : sql``}`
  const page = sql<NamespaceRow>`SELECT n.* ${from} ORDER BY n.full_path LIMIT ${window.limit} OFFSET ${window.offset}`
  return { rows: selectAll(ctx.db, page), total: boundedCount(ctx.db, sql`SELECT 1 ${from}`) }
}

/** Returns groups that the actor may move a project to, by name. */
export function transferLocations(
  ctx: Ctx,
  project: Project,
  search: string | undefined,
  window: { limit: number; offset: number },
): { rows: NamespaceRow[]; total: number } {
  const like = likePattern(search ?? '')
  const matches = search
    ? sql`AND (n.name LIKE ${like} ESCAPE '\\' OR n.full_path LIKE ${like} ESCAPE '\\')`
    : sql``
  const isMaintained = ctx.actor.is_admin ? sql`1` : groupsOfMember(ctx, MAINTAINER)
  const from = sql`FROM namespaces n WHERE n.kind = 'group' AND n.id <> ${project.namespace_id}
    AND n.project_creation_level <> 'noone' AND ${isMaintained} ${matches}`
  const page = sql<NamespaceRow>`SELECT n.* ${from} ORDER BY n.full_path LIMIT ${window.limit} OFFSET ${window.offset}`
  return { rows: selectAll(ctx.db, page), total: boundedCount(ctx.db, sql`SELECT 1 ${from}`) }
}

interface DirectMember {
  readonly user_id: number
  readonly access_level: number
  readonly expires_at: string | null
}

/** Returns the direct members of a project without token bots. */
export function directMembers(db: Database, projectId: number, today: string): DirectMember[] {
  return db.many(
    `SELECT m.user_id, m.access_level, m.expires_at FROM members m JOIN users u ON u.id = m.user_id
     WHERE m.project_id = ? AND (m.expires_at IS NULL OR m.expires_at > ?) AND u.kind = 'human' ORDER BY m.id`,
    projectId,
    today,
  )
}

/** Whether a user is a direct member of a project. */
export function isDirectMember(db: Database, projectId: number, userId: number): boolean {
  const sql = 'SELECT id FROM members WHERE project_id = ? AND user_id = ?'
  return db.one(sql, projectId, userId) !== undefined
}

/** A user who starred a project. */
export interface StarRow extends UserBasicRow {
  readonly starred_since: string
}
