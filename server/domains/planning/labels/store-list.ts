import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { boundedCount, contains, selectAll } from '../../../db/lists.ts'
import { visibleGroups } from '../../members/index.ts'
import type { LabelRow } from './label.ts'
import type { PlanningOwner } from '../types-owner.ts'
import { projectsWithPlanning, treeOf } from './store-visibility.ts'

type Condition = RawBuilder<SqlBool>

type Viewer = Parameters<typeof visibleGroups>[0]

/** The filters of a list of labels. */
export interface LabelFilter {
  readonly search?: string | undefined
  readonly include_ancestor_groups: boolean
  /** For groups: includes the labels of subgroups that the viewer may see. */
  readonly include_descendant_groups?: boolean | undefined
  /** For groups: excludes the labels of projects. */
  readonly only_group_labels?: boolean | undefined
}

function ofProject(owner: PlanningOwner, filter: LabelFilter): Condition[] {
  const inProject = sql<SqlBool>`l.project_id = ${owner.id}`
  const above = sql<SqlBool>`l.group_id IN (SELECT value FROM json_each(${owner.lineage}))`
  return filter.include_ancestor_groups ? [inProject, above] : [inProject]
}

function ofGroup(viewer: Viewer, owner: PlanningOwner, filter: LabelFilter): Condition[] {
  const { include_ancestor_groups: above, include_descendant_groups: below = false } = filter
  const tree = below ? treeOf(owner.id) : sql`SELECT ${owner.id}`
  const namespaces = below
    ? sql`SELECT n.id FROM namespaces n WHERE n.id IN (${tree}) AND (n.id = ${owner.id} OR ${visibleGroups(viewer)})`
    : tree
  const ancestors = above ? sql` UNION SELECT value FROM json_each(${owner.lineage})` : sql``
  const groups = sql<SqlBool>`l.group_id IN (${namespaces}${ancestors})`
  if (filter.only_group_labels ?? true) return [groups]
  const projects = sql`SELECT p.id FROM projects p WHERE p.namespace_id IN (${tree}) AND ${projectsWithPlanning(viewer)}`
  return [groups, sql<SqlBool>`l.project_id IN (${projects})`]
}

/** Returns one page of labels, sorted by title. */
export function list(
  db: Database,
  viewer: Viewer,
  request: { readonly owner: PlanningOwner; readonly filter: LabelFilter },
  page: { readonly limit: number; readonly offset: number },
): { rows: LabelRow[]; total: number } {
  const { owner, filter } = request
  const sources = owner.kind === 'project' ? ofProject(owner, filter) : ofGroup(viewer, owner, filter)
  const matches = filter.search
    ? sql<SqlBool>`(${contains('l.title', filter.search)} OR ${contains('l.description', filter.search)})`
    : sql<SqlBool>`1`
  // Each part of the union uses its own index.
  const parts = (columns: string) =>
    sql.join(
      sources.map((source) => sql`SELECT ${sql.raw(columns)} FROM labels l WHERE ${source} AND ${matches}`),
      sql` UNION ALL `,
    )
  const query = sql<LabelRow>`${parts('l.*')} ORDER BY title, id LIMIT ${page.limit} OFFSET ${page.offset}`
  return { rows: selectAll(db, query), total: boundedCount(db, sql`SELECT id FROM (${parts('l.id')})`) }
}
