import type { Ctx } from '../../ctx.ts'
import { jsonList, type Database } from '../../db/database.ts'
import { isoDate } from '../../lib/clock.ts'
import { GUEST, MINIMAL, NO_ACCESS, OWNER, DEVELOPER } from '../../policy/levels.ts'

type Viewer = Pick<Ctx, 'db' | 'actor' | 'now'>

/** The columns of a project that decide about access levels. */
export interface ProjectAncestry {
  readonly id: number
  /** Ids of its namespaces from the top level down, as a JSON array. */
  readonly lineage: string
  /** The owner of the personal namespace; null in a group. */
  readonly owner_id: number | null
}

/** The columns of a namespace that decide about access levels. `lineage` ends with its own ID. */
export type NamespaceAncestry = ProjectAncestry

/** The access levels of a user on a project: by direct membership, and by its namespaces and shares. */
export interface Levels {
  readonly direct: number
  readonly inherited: number
}

const NO_LEVELS: Levels = { direct: NO_ACCESS, inherited: NO_ACCESS }

const DIRECT_LEVEL = `SELECT access_level FROM members
  WHERE project_id = ? AND user_id = ? AND (expires_at IS NULL OR expires_at > ?)`

/** Returns the levels of the actor on a project. Cached until one of their tables changes. */
export function levelsOnProject(viewer: Viewer, project: ProjectAncestry): Levels {
  const { db, actor, now } = viewer
  if (actor.kind !== 'user') return NO_LEVELS
  const today = isoDate(now)
  return db.rememberRows(
    `levels:${project.id}:${project.owner_id}:${project.lineage}:${actor.id}:${today}`,
    () => {
      const directMember = db.one<{ access_level: number }>(DIRECT_LEVEL, project.id, actor.id, today)
      const direct = project.owner_id === actor.id ? OWNER : (directMember?.access_level ?? NO_ACCESS)
      const groups = groupLevels(viewer, actor.id, today)
      if (groups.size === 0) return { direct, inherited: NO_ACCESS }
      const userOnDay = { userId: actor.id, today }
      const shared = sharedLevel(db, { lineage: project.lineage, projectIds: [project.id] }, userOnDay)
      return {
        direct,
        inherited: Math.max(highestLevel(groups, project.lineage), shared >= GUEST ? shared : NO_ACCESS),
      }
    },
  )
}

/** A user and a day. */
interface UserOnDay {
  readonly userId: number
  readonly today: string
}

/** Returns the highest level that shares with a group, its ancestors or a project grant to a user. */
function sharedLevel(
  db: Ctx['db'],
  owner: { lineage: string; projectIds?: readonly number[] },
  { userId, today }: UserOnDay,
): number {
  const rows = db.many<SharedLevel>(SHARED_WITH_GROUPS, owner.lineage, today, userId, today)
  const projects = owner.projectIds
    ? db.many<SharedLevel>(SHARED_WITH_PROJECTS, jsonList(owner.projectIds), today, userId, today)
    : []
  return Math.max(NO_ACCESS, ...[...rows, ...projects].map((row) => row.access_level))
}

/** Returns the access level of the actor on a project: the higher one of both levels, 0 without access. */
export function roleOnProject(viewer: Viewer, project: ProjectAncestry): number {
  const { direct, inherited } = levelsOnProject(viewer, project)
  return Math.max(direct, inherited)
}

/** Returns the levels of the actor on projects, in the same order, with four queries for all of them. */
export function levelsOnProjects(viewer: Viewer, projects: readonly ProjectAncestry[]): Levels[] {
  const { db, actor, now } = viewer
  if (actor.kind !== 'user') return projects.map(() => NO_LEVELS)
  const today = isoDate(now)
  const rows = db.many<{ project_id: number; access_level: number }>(
    `SELECT m.project_id, m.access_level FROM members m WHERE m.project_id IN (SELECT value FROM json_each(?))
       AND m.user_id = ? AND (m.expires_at IS NULL OR m.expires_at > ?)`,
    jsonList(projects.map((project) => project.id)),
    actor.id,
    today,
  )
  const direct = new Map(rows.map((row) => [row.project_id, row.access_level]))
  const levelsOfActor = groupLevels(viewer, actor.id, today)
  const shared =
    levelsOfActor.size === 0 ? undefined : sharedLevels(db, projects, { userId: actor.id, today })
  return projects.map((project) => ({
    direct: project.owner_id === actor.id ? OWNER : (direct.get(project.id) ?? NO_ACCESS),
    inherited: shared
      ? Math.max(
          highestLevel(levelsOfActor, project.lineage),
          highestLevel(shared.groups, project.lineage),
          shared.projects.get(project.id) ?? NO_ACCESS,
        )
      : NO_ACCESS,
  }))
}

/** Whether a user has at least the Developer role in any project or group. */
export function isDeveloperSomewhere(db: Database, userId: number, today: string): boolean {
  const row = db.one(
    `SELECT 1 AS found FROM members
      WHERE user_id = ? AND access_level >= ? AND (expires_at IS NULL OR expires_at > ?) LIMIT 1`,
    userId,
    DEVELOPER,
    today,
  )
  return row !== undefined
}

/** Returns the levels that shares grant to a user on the ancestor groups of some projects, and on these projects. */
function sharedLevels(db: Ctx['db'], owners: readonly ProjectAncestry[], { userId, today }: UserOnDay) {
  const ancestorIds = new Set(owners.flatMap((ancestry) => JSON.parse(ancestry.lineage) as number[]))
  const ids = owners.map((ancestry) => ancestry.id)
  const groups = new Map<number, number>()
  const projects = new Map<number, number>()
  const raise = (levels: Map<number, number>, id: number, level: number): void => {
    if (level >= GUEST) levels.set(id, Math.max(level, levels.get(id) ?? NO_ACCESS))
  }
  for (const row of db.many<SharedLevel>(
    SHARED_WITH_GROUPS,
    jsonList([...ancestorIds]),
    today,
    userId,
    today,
  ))
    raise(groups, row.namespace_id!, row.access_level)
  for (const row of db.many<SharedLevel>(SHARED_WITH_PROJECTS, jsonList(ids), today, userId, today))
    raise(projects, row.project_id!, row.access_level)
  return { groups, projects }
}

function highestLevel(levels: ReadonlyMap<number, number>, lineage: string): number {
  const inherited = (JSON.parse(lineage) as number[]).map((id) => levels.get(id) ?? NO_ACCESS)
  return Math.max(NO_ACCESS, ...inherited)
}

/** Returns the direct group memberships of a user. Projects do not inherit a level below Guest. */
function groupLevels({ db }: Viewer, userId: number, today: string): ReadonlyMap<number, number> {
  return db.rememberRows(`group-levels:${userId}:${today}`, () => {
    const rows = db.many<{ namespace_id: number; access_level: number }>(
      `SELECT m.namespace_id, m.access_level FROM members m WHERE m.user_id = ? AND m.access_level >= ${GUEST}
         AND m.namespace_id IS NOT NULL AND (m.expires_at IS NULL OR m.expires_at > ?)`,
      userId,
      today,
    )
    return new Map(rows.map((row) => [row.namespace_id, row.access_level]))
  })
}

const LEVEL_ON_NAMESPACE = `
  SELECT coalesce(max(m.access_level), 0) AS level FROM members m
  WHERE m.namespace_id IN (SELECT value FROM json_each(?)) AND m.user_id = ? AND (m.expires_at IS NULL OR m.expires_at > ?)`

const IS_MEMBER_BELOW = `
  SELECT EXISTS (
    SELECT 1 FROM members m JOIN namespaces n ON n.id = m.namespace_id, json_each(n.lineage) up
    WHERE m.user_id = ? AND up.value = ? AND (m.expires_at IS NULL OR m.expires_at > ?)
  ) OR EXISTS (
    SELECT 1 FROM members m JOIN projects p ON p.id = m.project_id JOIN namespaces n ON n.id = p.namespace_id, json_each(n.lineage) up
    WHERE m.user_id = ? AND up.value = ? AND m.access_level >= ${GUEST} AND (m.expires_at IS NULL OR m.expires_at > ?)
  ) AS found`

/**
 * Returns the access level of the actor on a group or personal namespace: by membership of it or of an ancestor, or
 * by an invited group. A member of a subgroup or project below the group has `MINIMAL`, and only sees that the group
 * exists. Cached until one of its tables changes.
 */
export function roleOnNamespace({ db, actor, now }: Viewer, namespace: NamespaceAncestry): number {
  if (actor.kind !== 'user') return NO_ACCESS
  if (namespace.owner_id === actor.id) return OWNER
  const today = isoDate(now)
  return db.rememberRows(`role:${namespace.id}:${namespace.lineage}:${actor.id}:${today}`, () => {
    const directLevel = db.one<{ level: number }>(
      LEVEL_ON_NAMESPACE,
      namespace.lineage,
      actor.id,
      today,
    )!.level
    const shared = sharedLevel(db, { lineage: namespace.lineage }, { userId: actor.id, today })
    const level = Math.max(directLevel, shared)
    if (level > NO_ACCESS) return level
    const { id } = namespace
    const { found } = db.one<{ found: number }>(IS_MEMBER_BELOW, actor.id, id, today, actor.id, id, today)!
    if (found) return MINIMAL
    const shareBelow = db.one<{ found: number }>(SHARED_BELOW, actor.id, today, today, id, today, id)!
    return shareBelow.found ? MINIMAL : NO_ACCESS
  })
}

/**
 * Selects the shares of groups (alias `l`), for a JSON array of group ids. A share of a group also applies to its
 * subgroups and projects.
 */
export const LINKS_OF_GROUPS = `SELECT NULL AS project_id, l.shared_group_id AS namespace_id, l.group_id, l.access_level, l.expires_at
  FROM group_group_links l WHERE l.shared_group_id IN (SELECT value FROM json_each(?)) AND (l.expires_at IS NULL OR l.expires_at > ?)`

/**
 * Selects the shares of projects, for a JSON array of project ids. The sharing lock of a group disables the shares of
 * its projects.
 */
export const LINKS_OF_PROJECTS = `SELECT l.project_id, NULL AS namespace_id, l.group_id, l.access_level, l.expires_at
  FROM project_group_links l CROSS JOIN projects p ON p.id = l.project_id CROSS JOIN namespaces n ON n.id = p.namespace_id
  WHERE l.project_id IN (SELECT value FROM json_each(?)) AND (l.expires_at IS NULL OR l.expires_at > ?)
    AND n.share_with_group_lock = 0`

/**
 * Returns a query for the access levels of a user by shares, one row for each share. Members of the invited group and
 * of its ancestors have at most the level of the share. Shares of the invited group itself do not count.
 */
function levelsBy(links: string): string {
  return `SELECT l.project_id, l.namespace_id, min(l.access_level, m.access_level) AS access_level
    FROM (${links}) l CROSS JOIN namespaces g ON g.id = l.group_id CROSS JOIN json_each(g.lineage) up
    CROSS JOIN members m ON m.namespace_id = up.value
    WHERE m.user_id = ? AND (m.expires_at IS NULL OR m.expires_at > ?)`
}

/** Selects the levels of a user on some groups by shares. Parameters: groups, today, user, today. */
export const SHARED_WITH_GROUPS = levelsBy(LINKS_OF_GROUPS)

/** Selects the levels of a user on some projects by shares. Parameters: projects, today, user, today. */
export const SHARED_WITH_PROJECTS = levelsBy(LINKS_OF_PROJECTS)

/** A row of `SHARED_WITH_GROUPS` and `SHARED_WITH_PROJECTS`. */
export interface SharedLevel {
  readonly project_id: number | null
  readonly namespace_id: number | null
  readonly access_level: number
}

/**
 * Selects whether a share of a subgroup or project below a group includes a user. Parameters: user, today, today,
 * group, today, group. The query starts with the groups of the user, because these are fewer than the shares of the
 * instance.
 */
export const SHARED_BELOW = `
  WITH RECURSIVE mine (id, level) AS (
    SELECT m.namespace_id, m.access_level FROM members m
      WHERE m.user_id = ? AND m.namespace_id IS NOT NULL AND (m.expires_at IS NULL OR m.expires_at > ?)
    UNION SELECT c.id, mine.level FROM namespaces c JOIN mine ON c.parent_id = mine.id)
  SELECT EXISTS (
    SELECT 1 FROM mine CROSS JOIN group_group_links l ON l.group_id = mine.id AND (l.expires_at IS NULL OR l.expires_at > ?)
      CROSS JOIN namespaces n ON n.id = l.shared_group_id CROSS JOIN json_each(n.lineage) up WHERE up.value = ?
  ) OR EXISTS (
    SELECT 1 FROM mine CROSS JOIN project_group_links l ON l.group_id = mine.id AND (l.expires_at IS NULL OR l.expires_at > ?)
      CROSS JOIN projects p ON p.id = l.project_id CROSS JOIN namespaces n ON n.id = p.namespace_id
      CROSS JOIN json_each(n.lineage) up
      WHERE up.value = ? AND mine.level >= ${GUEST} AND n.share_with_group_lock = 0
  ) AS found`
