import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { jsonList, type Database } from '../../db/database.ts'
import { isoDate } from '../../lib/clock.ts'
import { seesAll } from '../../policy/actor.ts'
import { MAINTAINER, OWNER } from '../../policy/levels.ts'
import { customAttributeCondition } from '../users/index.ts'
import { groupsOfMember, groupsOfViewer, visibleGroups } from '../members/index.ts'
import type { Group } from './types.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'

/** The filters of a list, and the groups to search. */
export interface GroupListRequest extends Omit<GroupFilter, 'conditions'> {
  owned?: boolean | undefined
  min_access_level?: number | undefined
  /** Whether the list has all groups that the caller can see, or only those of the caller. */
  all_available: boolean
  custom_attributes?: Readonly<Record<string, string>> | undefined
  /** Only groups that are invited to one of these groups. */
  invited_into?: readonly number[] | undefined
  /** Only groups to which this group is invited. */
  with_invited_group?: number | undefined
}

/** Returns one page of the groups that the actor may see. */
export function findGroups(ctx: Ctx, request: GroupListRequest, page: GroupPage) {
  const conditions = [
    ...visibilityConditions(ctx, request),
    ...shareConditions(ctx, request),
    ...administratorConditions(ctx, request),
  ]
  return list(ctx.db, { ...request, conditions }, page)
}

function visibilityConditions(ctx: Ctx, request: GroupListRequest): RawBuilder<SqlBool>[] {
  const level = Math.max(request.owned ? OWNER : 0, request.min_access_level ?? 0)
  if (level > 0) return [groupsOfMember(ctx, level)]
  if (seesAll(ctx.actor) && request.all_available) return []
  const ownOnly = ctx.actor.kind !== 'anonymous' && !request.all_available
  return [ownOnly ? groupsOfViewer(ctx) : visibleGroups(ctx)]
}

function shareConditions(
  ctx: Ctx,
  { invited_into, with_invited_group }: GroupListRequest,
): RawBuilder<SqlBool>[] {
  const isCurrent = sql`(l.expires_at IS NULL OR l.expires_at > ${isoDate(ctx.now)})`
  const conditions: RawBuilder<SqlBool>[] = []
  if (invited_into !== undefined)
    conditions.push(sql<SqlBool>`n.id IN (SELECT l.group_id FROM group_group_links l
      WHERE l.shared_group_id IN (SELECT value FROM json_each(${jsonList(invited_into)})) AND ${isCurrent})`)
  if (with_invited_group !== undefined)
    conditions.push(sql<SqlBool>`n.id IN (SELECT l.shared_group_id FROM group_group_links l
      WHERE l.group_id = ${with_invited_group} AND ${isCurrent})`)
  return conditions
}

/** Returns the conditions of filters that only administrators may use. */
function administratorConditions(
  ctx: Ctx,
  { custom_attributes: attributes }: GroupListRequest,
): RawBuilder<SqlBool>[] {
  return ctx.actor.is_admin && attributes ? [customAttributeCondition('namespace', 'n.id', attributes)] : []
}

/** Returns conditions for groups (alias `n`) to which the viewer may transfer a group. */
export function transferConditions(
  viewer: Pick<Ctx, 'actor' | 'now'>,
  group: Pick<Group, 'id' | 'parent_id'>,
): RawBuilder<SqlBool>[] {
  const mayCreateSubgroups = viewer.actor.is_admin
    ? sql<SqlBool>`1`
    : sql<SqlBool>`(${groupsOfMember(viewer, OWNER)}
        OR (n.subgroup_creation_level = 'maintainer' AND ${groupsOfMember(viewer, MAINTAINER)}))`
  const isOutside = sql<SqlBool>`n.id IS NOT ${group.parent_id} AND NOT EXISTS (
    SELECT 1 FROM json_each(n.lineage) up WHERE up.value = ${group.id})`
  return [mayCreateSubgroups, isOutside]
}

/** Filters of group lists. */
export interface GroupFilter {
  /** Conditions on `n`: the groups that the viewer may see, and those of a member (members domain). */
  conditions: readonly RawBuilder<SqlBool>[]
  search?: string | undefined
  visibility?: string | undefined
  top_level_only?: boolean | undefined
  skip_groups?: readonly number[] | undefined
  /** Only direct subgroups of this group. */
  parent_id?: number | undefined
  /** Only subgroups of this group at any depth. */
  ancestor_id?: number | undefined
  /** The position after which a keyset page starts. */
  after?: { name: string; id: number } | undefined
}

/** The order and limits of one page. Keyset pages have no total. */
export interface GroupPage {
  order_by: string
  sort: 'asc' | 'desc'
  limit: number
  offset: number
  keyset: boolean
}

/**
 * Returns a condition for groups with a text in name or path. The index has trigrams, so a shorter text is compared
 * with every row.
 */
function matches(search: string): RawBuilder<SqlBool> {
  if ([...search].length >= 3) {
    const phrase = `"${search.replaceAll('"', '""')}"`
    return sql<SqlBool>`n.id IN (SELECT rowid FROM namespaces_fts WHERE namespaces_fts MATCH ${phrase})`
  }
  const like = likePattern(search)
  return sql<SqlBool>`(n.name LIKE ${like} ESCAPE '\\' OR n.path LIKE ${like} ESCAPE '\\')`
}

function conditionsOf(filter: GroupFilter): RawBuilder<SqlBool> {
  const conditions = [sql<SqlBool>`n.kind = 'group'`, ...filter.conditions]
  if (filter.search) conditions.push(matches(filter.search))
  if (filter.visibility) conditions.push(sql<SqlBool>`n.visibility = ${filter.visibility}`)
  if (filter.top_level_only) conditions.push(sql<SqlBool>`n.parent_id IS NULL`)
  if (filter.skip_groups?.length) {
    conditions.push(sql<SqlBool>`n.id NOT IN (SELECT value FROM json_each(${jsonList(filter.skip_groups)}))`)
  }
  if (filter.parent_id !== undefined) conditions.push(sql<SqlBool>`n.parent_id = ${filter.parent_id}`)
  if (filter.ancestor_id !== undefined) {
    conditions.push(sql<SqlBool>`n.id IN (WITH RECURSIVE tree (id) AS (
      SELECT c.id FROM namespaces c WHERE c.parent_id = ${filter.ancestor_id}
      UNION ALL SELECT c.id FROM namespaces c JOIN tree ON c.parent_id = tree.id) SELECT id FROM tree)`)
  }
  if (filter.after) {
    const { name, id } = filter.after
    conditions.push(sql<SqlBool>`(n.name COLLATE NOCASE, n.id) > (${name}, ${id})`)
  }
  return sql.join(conditions, sql` AND `)
}

function orderOf(page: GroupPage, search: string | undefined): RawBuilder<unknown> {
  const direction = sql.raw(page.sort === 'asc' ? 'ASC' : 'DESC')
  if (page.order_by === 'similarity' && search) {
    const prefixPattern = likePattern(search).slice(1)
    return sql`CASE WHEN n.path = ${search} OR n.name = ${search} COLLATE NOCASE THEN 0
      WHEN n.path LIKE ${prefixPattern} ESCAPE '\\' OR n.name LIKE ${prefixPattern} ESCAPE '\\' THEN 1 ELSE 2 END, n.name COLLATE NOCASE, n.id`
  }
  if (page.order_by === 'id') return sql`n.id ${direction}`
  if (page.order_by === 'full_path') return sql`n.full_path ${direction}`
  if (page.order_by === 'path') return sql`n.path ${direction}, n.id ${direction}`
  return sql`n.name COLLATE NOCASE ${direction}, n.id ${direction}`
}

/** Returns one page of groups. */
export function list(
  db: Database,
  filter: GroupFilter,
  page: GroupPage,
): { rows: Group[]; total: number | undefined } {
  const from = sql`FROM namespaces n WHERE ${conditionsOf(filter)}`
  const order = orderOf(page, filter.search)
  const rows = selectAll(
    db,
    sql<Group>`SELECT n.* ${from} ORDER BY ${order} LIMIT ${page.limit} OFFSET ${page.offset}`,
  )
  return { rows, total: page.keyset ? undefined : boundedCount(db, sql`SELECT 1 ${from}`) }
}
