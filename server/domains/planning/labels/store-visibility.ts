import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { seesAll } from '../../../policy/actor.ts'
import { GUEST } from '../../../policy/levels.ts'
import { projectsOfMember, visibleProjects } from '../../members/index.ts'
import type { PlanningOwner } from '../types-owner.ts'

type Condition = RawBuilder<SqlBool>

type Viewer = Parameters<typeof visibleProjects>[0]

/** Selects the IDs of a group and of all groups below it. */
export function treeOf(groupId: number): RawBuilder<unknown> {
  return sql`WITH RECURSIVE tree (id) AS (
    SELECT ${groupId} UNION ALL SELECT c.id FROM namespaces c JOIN tree ON c.parent_id = tree.id) SELECT id FROM tree`
}

/**
 * Selects the projects (alias `p`) that can use the labels of an owner: the project itself, or all projects below the
 * group.
 */
export function projectsOf(owner: PlanningOwner): Condition {
  if (owner.kind === 'project') return sql<SqlBool>`p.id = ${owner.id}`
  return sql<SqlBool>`p.namespace_id IN (${treeOf(owner.id)})`
}

/** Selects projects (alias `p`) where the viewer may read labels. */
export function projectsWithPlanning(viewer: Viewer): Condition {
  const isMember = projectsOfMember(viewer, GUEST, 'check')
  const all = seesAll(viewer.actor) ? sql<SqlBool>`1` : isMember
  const atLevel = (level: string) =>
    sql<SqlBool>`(p.issues_access_level = ${level} OR p.merge_requests_access_level = ${level})`
  return sql<SqlBool>`(${visibleProjects(viewer, 'check')} AND (${atLevel('enabled')} OR (${atLevel('private')} AND ${all})))`
}
