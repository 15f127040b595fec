import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'
import { seesAll } from '../../policy/actor.ts'
import { GUEST, MINIMAL, OWNER, REPORTER } from '../../policy/levels.ts'

/** The viewer and the time. All queries of this file depend only on these. */
export type Viewer = Pick<Ctx, 'actor' | 'now'>

type Fragment = RawBuilder<unknown>
type Condition = RawBuilder<SqlBool>

const EVERY: Condition = sql<SqlBool>`1`
const NONE: Condition = sql<SqlBool>`0`

/**
 * Selects memberships `m` of the user with at least a level that have not expired. A membership ends when its day
 * begins.
 */
function memberships({ actor, now }: Viewer, from: number): Fragment {
  return sql`m.user_id = ${actor.id} AND m.access_level >= ${from} AND (m.expires_at IS NULL OR m.expires_at > ${isoDate(now)})`
}

/** Shares `l` of at least a level that have not expired. */
function links({ now }: Viewer, from: number): Fragment {
  return sql`l.access_level >= ${from} AND (l.expires_at IS NULL OR l.expires_at > ${isoDate(now)})`
}

/**
 * `mine`: the namespaces where the viewer has a level as a member (direct or inherited) or as owner of the personal
 * one.
 */
function mine(viewer: Viewer, from: number): Fragment {
  return sql`mine (id) AS (
    SELECT m.namespace_id FROM members m WHERE ${memberships(viewer, from)} AND m.namespace_id IS NOT NULL
    UNION SELECT o.id FROM namespaces o WHERE o.owner_id = ${viewer.actor.id}
    UNION SELECT c.id FROM namespaces c JOIN mine ON c.parent_id = mine.id)`
}

/** Selects groups that are shared with the groups in `mine`. */
function intoGroups(viewer: Viewer, from: number): Fragment {
  return sql`SELECT l.shared_group_id FROM mine CROSS JOIN group_group_links l ON l.group_id = mine.id
    WHERE ${links(viewer, from)}`
}

/** Selects the IDs of the namespaces where the viewer has a level: those in `mine`, and groups shared with them. */
export function namespaceIds(viewer: Viewer, from: number): Fragment {
  return sql`WITH RECURSIVE ${mine(viewer, from)}, shared (id) AS (
    ${intoGroups(viewer, from)}
    UNION SELECT c.id FROM namespaces c JOIN shared ON c.parent_id = shared.id
  ) SELECT id FROM mine UNION ALL SELECT id FROM shared`
}

/** Selects the IDs of the projects that are shared with groups of the viewer, with at least a level. */
function sharedProjectIds(viewer: Viewer, from: number): Fragment {
  return sql`WITH RECURSIVE ${mine(viewer, from)}
    SELECT l.project_id FROM mine CROSS JOIN project_group_links l ON l.group_id = mine.id
      CROSS JOIN projects s ON s.id = l.project_id CROSS JOIN namespaces k ON k.id = s.namespace_id
    WHERE ${links(viewer, from)} AND k.share_with_group_lock = 0`
}

/**
 * How a query uses a set of projects: to find projects by its indexes, or to check projects that another filter found.
 * SQLite has no statistics for this choice; a `+` prevents the use of an index.
 */
export type SetUse = 'find' | 'check'

/** Selects projects (alias `p`) where the viewer has at least a level. Only users have levels. */
export function projectsOfMember(viewer: Viewer, from: number = GUEST, use: SetUse = 'find'): Condition {
  if (viewer.actor.kind !== 'user') return NONE
  const plus = sql.raw(use === 'check' ? '+' : '')
  return sql<SqlBool>`(${plus}p.namespace_id IN (${namespaceIds(viewer, from)})
    OR ${plus}p.id IN (SELECT m.project_id FROM members m WHERE ${memberships(viewer, from)} AND m.project_id IS NOT NULL)
    OR ${plus}p.id IN (${sharedProjectIds(viewer, from)}))`
}

/** Selects projects (alias `p`) that the viewer may see: by visibility or by membership. */
export function visibleProjects(viewer: Viewer, use: SetUse = 'find'): Condition {
  const { actor } = viewer
  const plus = sql.raw(use === 'check' ? '+' : '')
  if (seesAll(actor)) return EVERY
  if (actor.kind !== 'user') return sql<SqlBool>`${plus}p.visibility = 'public'`
  const open = actor.external
    ? sql`${plus}p.visibility = 'public'`
    : sql`${plus}p.visibility IN ('public', 'internal')`
  return sql<SqlBool>`(${open} OR ${projectsOfMember(viewer, GUEST, use)})`
}

/** Selects groups (alias `n`) where the viewer has at least a level. */
export function groupsOfMember(viewer: Viewer, from: number = MINIMAL): Condition {
  if (viewer.actor.kind !== 'user') return NONE
  return sql<SqlBool>`n.id IN (${namespaceIds(viewer, from)})`
}

/** Selects groups (alias `n`) where the viewer is a member of the group, a subgroup or a project below. */
export function groupsOfViewer(viewer: Viewer): Condition {
  if (viewer.actor.kind !== 'user') return NONE
  return sql<SqlBool>`(${groupsOfMember(viewer)} OR n.id IN (
    SELECT up.value FROM namespaces x, json_each(x.lineage) up WHERE x.id IN (
      SELECT m.namespace_id FROM members m WHERE ${memberships(viewer, MINIMAL)} AND m.namespace_id IS NOT NULL
      UNION SELECT b.namespace_id FROM members m JOIN projects b ON b.id = m.project_id WHERE ${memberships(viewer, GUEST)}
      UNION SELECT * FROM (WITH RECURSIVE ${mine(viewer, MINIMAL)} ${intoGroups(viewer, MINIMAL)})
      UNION SELECT b.namespace_id FROM projects b WHERE b.id IN (${sharedProjectIds(viewer, GUEST)}))))`
}

/**
 * Selects groups (alias `n`) that the viewer may see: by visibility, or by membership of the group, a subgroup or a
 * project below.
 */
export function visibleGroups(viewer: Viewer): Condition {
  const { actor } = viewer
  if (seesAll(actor)) return EVERY
  if (actor.kind !== 'user') return sql<SqlBool>`n.visibility = 'public'`
  const open = actor.external ? sql`n.visibility = 'public'` : sql`n.visibility IN ('public', 'internal')`
  return sql<SqlBool>`(${open} OR ${groupsOfViewer(viewer)})`
}

/** Selects namespaces (alias `n`) where the viewer may have projects: the personal one and the groups of the viewer. */
export function namespacesOfViewer(viewer: Viewer, ownedOnly: boolean): Condition {
  if (viewer.actor.kind !== 'user') return NONE
  return sql<SqlBool>`n.id IN (${namespaceIds(viewer, ownedOnly ? OWNER : MINIMAL)})`
}

/** The condition that a project (alias `p`) is open to the viewer by its visibility. */
function isOpen({ actor }: Viewer): RawBuilder<SqlBool> {
  if (actor.kind !== 'user' || actor.external) return sql<SqlBool>`+p.visibility = 'public'`
  return sql<SqlBool>`+p.visibility <> 'private'`
}

/** The lowest level at which members read a feature that is open to members only. */
const READ_FROM = {
  issues: GUEST,
  merge_requests: REPORTER,
  repository: REPORTER,
  snippets: GUEST,
  releases: GUEST,
  wiki: GUEST,
} as const

/**
 * Selects projects (alias `p`) with a feature that the viewer may read: all users who see the project if the feature is
 * public, members with a level if it is for members, nobody if it is disabled. `isAble` decides the same for one
 * project with an ability that is `public`.
 */
export function projectsWithFeature(viewer: Viewer, feature: keyof typeof READ_FROM): RawBuilder<SqlBool> {
  const level = sql.ref(`p.${feature}_access_level`)
  if (seesAll(viewer.actor)) return sql<SqlBool>`${level} <> 'disabled'`
  const member = projectsOfMember(viewer, READ_FROM[feature], 'check')
  return sql<SqlBool>`((${level} IN ('enabled', 'public') AND ${isOpen(viewer)})
    OR (${level} <> 'disabled' AND ${member}))`
}
