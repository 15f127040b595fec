import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'
import { seesAll } from '../../policy/actor.ts'
import { GUEST, MINIMAL, OWNER, REPORTER } from '../../policy/levels.ts'

/** The actor and the time, on which the queries of this file depend. */
export type Viewer = Pick<Ctx, 'actor' | 'now'>

type Fragment = RawBuilder<unknown>
type Condition = RawBuilder<SqlBool>

const ALL_ROWS: Condition = sql<SqlBool>`1`
const NO_ROWS: Condition = sql<SqlBool>`0`

/**
 * Returns a condition for memberships (alias `m`) of the viewer with at least a level that have not expired. A
 * membership ends at the start of its expiry date.
 */
function currentMemberships({ actor, now }: Viewer, from: number): Fragment {
  return sql`m.user_id = ${actor.id} AND m.access_level >= ${from} AND (m.expires_at IS NULL OR m.expires_at > ${isoDate(now)})`
}

/** Returns a condition for shares (alias `l`) with at least a level that have not expired. */
function currentShares({ now }: Viewer, from: number): Fragment {
  return sql`l.access_level >= ${from} AND (l.expires_at IS NULL OR l.expires_at > ${isoDate(now)})`
}

/**
 * Returns the common table expression `member_namespaces`: the namespaces in which the viewer has at least a level, as
 * a direct or inherited member or as the owner of the personal namespace.
 */
function memberNamespaces(viewer: Viewer, from: number): Fragment {
  return sql`member_namespaces (id) AS (
    SELECT m.namespace_id FROM members m WHERE ${currentMemberships(viewer, from)} AND m.namespace_id IS NOT NULL
    UNION SELECT o.id FROM namespaces o WHERE o.owner_id = ${viewer.actor.id}
    UNION SELECT c.id FROM namespaces c JOIN member_namespaces ON c.parent_id = member_namespaces.id)`
}

/** Selects the groups that are shared with the groups in `member_namespaces`. */
function groupsSharedWithMembers(viewer: Viewer, from: number): Fragment {
  return sql`SELECT l.shared_group_id FROM member_namespaces CROSS JOIN group_group_links l ON l.group_id = member_namespaces.id
    WHERE ${currentShares(viewer, from)}`
}

/**
 * Selects the ids of the namespaces in which the viewer has at least a level: those in `member_namespaces`, and groups
 * that are shared with them.
 */
export function namespaceIds(viewer: Viewer, from: number): Fragment {
  return sql`WITH RECURSIVE ${memberNamespaces(viewer, from)}, shared (id) AS (
    ${groupsSharedWithMembers(viewer, from)}
    UNION SELECT c.id FROM namespaces c JOIN shared ON c.parent_id = shared.id
  ) SELECT id FROM member_namespaces UNION ALL SELECT id FROM shared`
}

/** Selects the ids of the projects that are shared with groups of the viewer, with at least a level. */
function sharedProjectIds(viewer: Viewer, from: number): Fragment {
  return sql`WITH RECURSIVE ${memberNamespaces(viewer, from)}
    SELECT l.project_id FROM member_namespaces CROSS JOIN project_group_links l ON l.group_id = member_namespaces.id
      CROSS JOIN projects s ON s.id = l.project_id CROSS JOIN namespaces k ON k.id = s.namespace_id
    WHERE ${currentShares(viewer, from)} AND k.share_with_group_lock = 0`
}

/**
 * The use of a condition in a query: to find projects by its indexes, or to check projects that another filter finds.
 * SQLite cannot choose well without statistics; a `+` before a column prevents the use of its index.
 */
export type ConditionUse = 'find' | 'check'

/** Returns a condition for projects (alias `p`) on which the viewer has at least a level. Only users have levels. */
export function projectsOfMember(
  viewer: Viewer,
  from: number = GUEST,
  use: ConditionUse = 'find',
): Condition {
  if (viewer.actor.kind !== 'user') return NO_ROWS
  const plus = sql.raw(use === 'check' ? '+' : '')
  return sql<SqlBool>`(${plus}p.namespace_id IN (${namespaceIds(viewer, from)})
    OR ${plus}p.id IN (SELECT m.project_id FROM members m WHERE ${currentMemberships(viewer, from)} AND m.project_id IS NOT NULL)
    OR ${plus}p.id IN (${sharedProjectIds(viewer, from)}))`
}

/** Returns a condition for projects (alias `p`) that the viewer may see: by visibility or by membership. */
export function visibleProjects(viewer: Viewer, use: ConditionUse = 'find'): Condition {
  const { actor } = viewer
  const plus = sql.raw(use === 'check' ? '+' : '')
  if (seesAll(actor)) return ALL_ROWS
  if (actor.kind !== 'user') return sql<SqlBool>`${plus}p.visibility = 'public'`
  const open = actor.external
    ? sql`${plus}p.visibility = 'public'`
    : sql`${plus}p.visibility IN ('public', 'internal')`
  return sql<SqlBool>`(${open} OR ${projectsOfMember(viewer, GUEST, use)})`
}

/** Returns a condition for groups (alias `n`) on which the viewer has at least a level. */
export function groupsOfMember(viewer: Viewer, from: number = MINIMAL): Condition {
  if (viewer.actor.kind !== 'user') return NO_ROWS
  return sql<SqlBool>`n.id IN (${namespaceIds(viewer, from)})`
}

/**
 * Returns a condition for groups (alias `n`) with the viewer as a member of the group, or of a subgroup or project
 * below it.
 */
export function groupsOfViewer(viewer: Viewer): Condition {
  if (viewer.actor.kind !== 'user') return NO_ROWS
  return sql<SqlBool>`(${groupsOfMember(viewer)} OR n.id IN (
    SELECT up.value FROM namespaces x, json_each(x.lineage) up WHERE x.id IN (
      SELECT m.namespace_id FROM members m WHERE ${currentMemberships(viewer, MINIMAL)} AND m.namespace_id IS NOT NULL
      UNION SELECT b.namespace_id FROM members m JOIN projects b ON b.id = m.project_id WHERE ${currentMemberships(viewer, GUEST)}
      UNION SELECT * FROM (WITH RECURSIVE ${memberNamespaces(viewer, MINIMAL)} ${groupsSharedWithMembers(viewer, MINIMAL)})
      UNION SELECT b.namespace_id FROM projects b WHERE b.id IN (${sharedProjectIds(viewer, GUEST)}))))`
}

/**
 * Returns a condition for groups (alias `n`) that the viewer may see: by visibility, or by membership of the group or
 * of a subgroup or project below it.
 */
export function visibleGroups(viewer: Viewer): Condition {
  const { actor } = viewer
  if (seesAll(actor)) return ALL_ROWS
  if (actor.kind !== 'user') return sql<SqlBool>`n.visibility = 'public'`
  const open = actor.external ? sql`n.visibility = 'public'` : sql`n.visibility IN ('public', 'internal')`
  return sql<SqlBool>`(${open} OR ${groupsOfViewer(viewer)})`
}

/**
 * Returns a condition for the personal namespace and the groups of the viewer (alias `n`), or only for those that the
 * viewer owns.
 */
export function namespacesOfViewer(viewer: Viewer, ownedOnly: boolean): Condition {
  if (viewer.actor.kind !== 'user') return NO_ROWS
  return sql<SqlBool>`n.id IN (${namespaceIds(viewer, ownedOnly ? OWNER : MINIMAL)})`
}

/** Returns a condition for projects (alias `p`) that the viewer may see by their visibility. */
function isOpen({ actor }: Viewer): RawBuilder<SqlBool> {
  if (actor.kind !== 'user' || actor.external) return sql<SqlBool>`+p.visibility = 'public'`
  return sql<SqlBool>`+p.visibility <> 'private'`
}

/** The minimum access level to read a feature that only members can use. */
const MIN_READ_LEVELS = {
  issues: GUEST,
  merge_requests: REPORTER,
  repository: REPORTER,
  snippets: GUEST,
  releases: GUEST,
  wiki: GUEST,
} as const

/**
 * Returns a condition for projects (alias `p`) with a feature that the viewer may read. An enabled feature is for
 * everyone who can see the project, a private one is for members with the minimum level, and a disabled one is for
 * nobody. `hasAbility` applies the same rules to a single project.
 */
export function projectsWithFeature(
  viewer: Viewer,
  feature: keyof typeof MIN_READ_LEVELS,
): RawBuilder<SqlBool> {
  const level = sql.ref(`p.${feature}_access_level`)
  if (seesAll(viewer.actor)) return sql<SqlBool>`${level} <> 'disabled'`
  const member = projectsOfMember(viewer, MIN_READ_LEVELS[feature], 'check')
  return sql<SqlBool>`((${level} IN ('enabled', 'public') AND ${isOpen(viewer)})
    OR (${level} <> 'disabled' AND ${member}))`
}
