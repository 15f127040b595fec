import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { jsonList, q, type Database } from '../../db/database.ts'
import { boundedCount, selectAll } from '../../db/lists.ts'
import type { Rows } from '../../db/rows.ts'
import { table } from '../../db/table.ts'
import { projectsWithFeature } from '../members/index.ts'
import type { EvidenceRow, ReleaseRow } from './types.ts'

export const { byId, insert, update, remove } = table('releases')

/** Returns the release of a tag. */
export function byTag(db: Database, projectId: number, tag: string): ReleaseRow | undefined {
  return db.get(
    q.selectFrom('releases').selectAll().where('project_id', '=', projectId).where('tag', '=', tag),
  )
}

/** Returns the latest release of a project, which may be an upcoming one. */
export function latest(db: Database, projectId: number): ReleaseRow | undefined {
  return db.one<ReleaseRow>(
    'SELECT * FROM releases WHERE project_id = ? ORDER BY released_at DESC, id DESC LIMIT 1',
    projectId,
  )
}

/** Returns the IDs of the milestones of a release. */
export function storedMilestoneIds(db: Database, releaseId: number): number[] {
  const rows = db.many<{ milestone_id: number }>(
    'SELECT milestone_id FROM release_milestones WHERE release_id = ? ORDER BY milestone_id',
    releaseId,
  )
  return rows.map((row) => row.milestone_id)
}

/** Replaces the milestones of a release. */
export function setMilestones(db: Database, releaseId: number, ids: readonly number[]): void {
  db.exec('DELETE FROM release_milestones WHERE release_id = ?', releaseId)
  db.exec(
    'INSERT INTO release_milestones (release_id, milestone_id) SELECT ?, value FROM json_each(?)',
    releaseId,
    jsonList(ids),
  )
}

/** Evidence without its text, which can be long. */
export type ShortEvidence = Omit<EvidenceRow, 'summary'>

/** The numbers of all and of closed issues of a milestone. */
export interface MilestoneStats {
  readonly total: number
  readonly closed: number
}

const NO_ISSUES: MilestoneStats = { total: 0, closed: 0 }

/** Returns the evidence of releases by release, oldest first. */
export function evidencesOf(db: Database, releaseIds: readonly number[]): Map<number, ShortEvidence[]> {
  const rows = db.many<ShortEvidence>(
    `SELECT id, release_id, sha, collected_at FROM release_evidences
     WHERE release_id IN (SELECT value FROM json_each(?)) ORDER BY id`,
    jsonList(releaseIds),
  )
  return Map.groupBy(rows, (row) => row.release_id)
}

/** Returns the IDs of the milestones of releases by release, sorted by due date. Those without a due date come last. */
export function milestoneIdsOf(
  db: Database,
  releaseIds: readonly number[],
): Map<number, { readonly milestone_id: number }[]> {
  const rows = db.many<{ release_id: number; milestone_id: number }>(
    `SELECT r.release_id, r.milestone_id FROM release_milestones r JOIN milestones m ON m.id = r.milestone_id
     WHERE r.release_id IN (SELECT value FROM json_each(?))
     ORDER BY m.due_date IS NULL, m.due_date, m.start_date IS NULL, m.start_date, m.title, m.id`,
    jsonList(releaseIds),
  )
  return Map.groupBy(rows, (row) => row.release_id)
}

/** Counts the issues of milestones. The result returns the numbers of a milestone. */
export function milestoneStats(
  db: Database,
  milestoneIds: readonly number[],
): (id: number) => MilestoneStats {
  if (milestoneIds.length === 0) return () => NO_ISSUES
  const rows = db.many<MilestoneStats & { milestone_id: number }>(
    `SELECT milestone_id, count(*) AS total, sum(state = 'closed') AS closed FROM issues
     WHERE milestone_id IN (SELECT value FROM json_each(?)) GROUP BY milestone_id`,
    jsonList(milestoneIds),
  )
  const byId = new Map(rows.map(({ milestone_id, total, closed }) => [milestone_id, { total, closed }]))
  return (id) => byId.get(id) ?? NO_ISSUES
}

/** A condition on releases (alias `r`). */
type Condition = RawBuilder<SqlBool>

/** A page of a list. */
export interface Page {
  readonly limit: number
  readonly offset: number
  readonly order_by: string
  readonly sort: 'asc' | 'desc'
}

/** The filters of a list of the releases of a project. */
export interface ReleaseFilter {
  readonly updated_after?: string | undefined
  readonly updated_before?: string | undefined
}

/** Returns one page of the releases that meet a condition. */
export function list(
  db: Database,
  condition: Condition,
  { limit, offset, order_by, sort }: Page,
): Rows<ReleaseRow> {
  const direction = sql.raw(sort === 'asc' ? 'ASC' : 'DESC')
  const order = (table: string) =>
    sql`${sql.ref(`${table}.${order_by === 'created_at' ? order_by : 'released_at'}`)} ${direction}, ${sql.ref(`${table}.id`)} ${direction}`
  // An index yields the IDs first, because the rows have long texts and the releases of a group must be sorted.
  const page = sql`SELECT r.id FROM releases r WHERE ${condition} ORDER BY ${order('r')} LIMIT ${limit} OFFSET ${offset}`
  const rows = selectAll(
    db,
    sql<ReleaseRow>`SELECT f.* FROM releases f WHERE f.id IN (${page}) ORDER BY ${order('f')}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT r.id FROM releases r WHERE ${condition}`) }
}

/** Returns the condition for the releases of a project. */
export function ofProject(projectId: number, { updated_after, updated_before }: ReleaseFilter): Condition {
  const conditions = [
    sql<SqlBool>`r.project_id = ${projectId}`,
    ...(updated_after ? [sql<SqlBool>`r.updated_at >= ${updated_after}`] : []),
    ...(updated_before ? [sql<SqlBool>`r.updated_at <= ${updated_before}`] : []),
  ]
  return sql<SqlBool>`${sql.join(conditions, sql` AND `)}`
}

/** Returns the condition for releases of the projects in a group that the viewer can read. */
export function belowGroup(viewer: Pick<Ctx, 'actor' | 'now'>, groupId: number): Condition {
  const tree = sql`WITH RECURSIVE tree (id) AS (
    SELECT ${groupId} UNION ALL SELECT c.id FROM namespaces c JOIN tree ON c.parent_id = tree.id) SELECT id FROM tree`
  const projects = sql`SELECT p.id FROM projects p WHERE p.namespace_id IN (${tree})
    AND ${projectsWithFeature(viewer, 'releases')}`
  return sql<SqlBool>`r.project_id IN (${projects})`
}
