import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'
import { GUEST, MINIMAL, OWNER } from '../../policy/levels.ts'

/** Who looks, and when: all that the sets below depend on. */
export type Viewer = Pick<Ctx, 'actor' | 'now'>

type Fragment = RawBuilder<unknown>
type Condition = RawBuilder<SqlBool>

const everything: Condition = sql<SqlBool>`1`
const nothing: Condition = sql<SqlBool>`0`

/** Memberships of the user that hold today, from a level up; `m` is the membership. A membership ends with its day's start. */
function memberships({ actor, now }: Viewer, from: number): Fragment {
  return sql`m.user_id = ${actor.id} AND m.access_level >= ${from} AND (m.expires_at IS NULL OR m.expires_at > ${isoDate(now)})`
}

/** Ids of the namespaces where the viewer has a level, inherited from above or by owning the personal one. */
export function namespaceIds(viewer: Viewer, from: number): Fragment {
  return sql`WITH RECURSIVE mine (id) AS (
    SELECT m.namespace_id FROM members m WHERE ${memberships(viewer, from)} AND m.namespace_id IS NOT NULL
    UNION SELECT o.id FROM namespaces o WHERE o.owner_id = ${viewer.actor.id}
    UNION SELECT c.id FROM namespaces c JOIN mine ON c.parent_id = mine.id
  ) SELECT id FROM mine`
}

/**
 * How a set of projects is used: to find projects by its indexes, or to check those that another filter has found
 * already. SQLite has no statistics to tell which is narrower; a `+` keeps it from using an index.
 */
export type SetUse = 'find' | 'check'

/** Projects (alias `p`) where the viewer has at least a level; nobody but users has any. */
export function projectsOfMember(viewer: Viewer, from: number = GUEST, use: SetUse = 'find'): Condition {
  if (viewer.actor.kind !== 'user') return nothing
  const plus = sql.raw(use === 'check' ? '+' : '')
  return sql<SqlBool>`(${plus}p.namespace_id IN (${namespaceIds(viewer, from)})
    OR ${plus}p.id IN (SELECT m.project_id FROM members m WHERE ${memberships(viewer, from)} AND m.project_id IS NOT NULL))`
}

/** Projects (alias `p`) that the viewer may know of: by visibility or by membership. */
export function visibleProjects(viewer: Viewer, use: SetUse = 'find'): Condition {
  const { actor } = viewer
  const plus = sql.raw(use === 'check' ? '+' : '')
  if (actor.is_admin) return everything
  if (actor.kind !== 'user') return sql<SqlBool>`${plus}p.visibility = 'public'`
  const open = actor.external
    ? sql`${plus}p.visibility = 'public'`
    : sql`${plus}p.visibility IN ('public', 'internal')`
  return sql<SqlBool>`(${open} OR ${projectsOfMember(viewer, GUEST, use)})`
}

/** Groups (alias `n`) where the viewer has at least a level. */
export function groupsOfMember(viewer: Viewer, from: number = MINIMAL): Condition {
  if (viewer.actor.kind !== 'user') return nothing
  return sql<SqlBool>`n.id IN (${namespaceIds(viewer, from)})`
}

/** Groups (alias `n`) the viewer belongs to, or to something below them. */
export function groupsOfViewer(viewer: Viewer): Condition {
  if (viewer.actor.kind !== 'user') return nothing
  return sql<SqlBool>`(${groupsOfMember(viewer)} OR n.id IN (
    SELECT up.value FROM namespaces x, json_each(x.lineage) up WHERE x.id IN (
      SELECT m.namespace_id FROM members m WHERE ${memberships(viewer, MINIMAL)} AND m.namespace_id IS NOT NULL
      UNION SELECT b.namespace_id FROM members m JOIN projects b ON b.id = m.project_id WHERE ${memberships(viewer, GUEST)})))`
}

/** Groups (alias `n`) that the viewer may know of: by visibility, membership, or membership of something below. */
export function visibleGroups(viewer: Viewer): Condition {
  const { actor } = viewer
  if (actor.is_admin) return everything
  if (actor.kind !== 'user') return sql<SqlBool>`n.visibility = 'public'`
  const open = actor.external ? sql`n.visibility = 'public'` : sql`n.visibility IN ('public', 'internal')`
  return sql<SqlBool>`(${open} OR ${groupsOfViewer(viewer)})`
}

/** Namespaces (alias `n`) where the viewer may have projects: the personal one and the groups they belong to. */
export function namespacesOfViewer(viewer: Viewer, ownedOnly: boolean): Condition {
  if (viewer.actor.kind !== 'user') return nothing
  return sql<SqlBool>`n.id IN (${namespaceIds(viewer, ownedOnly ? OWNER : MINIMAL)})`
}
