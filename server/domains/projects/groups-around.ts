import { sql } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { jsonList } from '../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'
import { isoDate } from '../../lib/clock.ts'
import { GUEST } from '../../policy/levels.ts'
import { visibleGroups } from '../members/index.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import type { Project } from './project.ts'

/** Which of the groups around a project to list. */
export interface GroupsRequest {
  readonly search?: string | undefined
  readonly skip_groups?: readonly number[] | undefined
  readonly with_shared?: boolean | undefined
  /** Only those that it is shared with. */
  readonly only_shared?: boolean | undefined
  readonly shared_min_access_level?: number | undefined
  readonly shared_visible_only?: boolean | undefined
}

/**
 * The groups above a project from the top down, and on request those it is shared with. All are shown only to who may
 * know of them, so `shared_visible_only` asks for nothing more.
 */
export function groupsAround(
  ctx: Ctx,
  project: Project,
  request: GroupsRequest,
  window: { limit: number; offset: number },
): { rows: NamespaceRow[]; total: number } {
  const above = sql`n.id IN (SELECT value FROM json_each(${project.lineage}))`
  const level = request.shared_min_access_level ?? GUEST
  const shared = sql`n.id IN (SELECT l.group_id FROM project_group_links l WHERE l.project_id = ${project.id}
    AND l.access_level >= ${level} AND (l.expires_at IS NULL OR l.expires_at > ${isoDate(ctx.now)}))`
  const like = likePattern(request.search ?? '')
  const from = sql`FROM namespaces n WHERE n.kind = 'group'
    AND ${visibleGroups(ctx)}
    AND ${request.only_shared ? shared : request.with_shared ? sql`(${above} OR ${shared})` : above}
    ${request.search ? sql`AND (n.name LIKE ${like} ESCAPE '\\' OR n.full_path LIKE ${like} ESCAPE '\\')` : sql``}
    ${
      request.skip_groups?.length
        ? sql`AND n.id NOT IN (SELECT value FROM json_each(${jsonList(request.skip_groups)}))`
        : sql``
    }`
  const page = sql<NamespaceRow>`SELECT n.* ${from} ORDER BY ${above} DESC, length(n.lineage), n.id
    LIMIT ${window.limit} OFFSET ${window.offset}`
  return { rows: selectAll(ctx.db, page), total: boundedCount(ctx.db, sql`SELECT 1 ${from}`) }
}

/** Groups that a project may be shared with: those the actor may know of, and that do not have it already. */
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
