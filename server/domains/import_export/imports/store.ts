import { sql, type Selectable } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { jsonList, q, tx, type Database } from '../../../db/database.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { ImportFailuresTable, ImportRunsTable } from '../../../db/schema.gen.ts'
import { visibleProjects } from '../../members/index.ts'

interface Page {
  readonly limit: number
  readonly offset: number
}

/** The import of a project, running or ended. Its status is a column of the project. */
export type Run = Selectable<ImportRunsTable>
export type RunColumns = Omit<Run, 'id' | 'project_id'>

export function byProject(db: Database, projectId: number): Run | undefined {
  return db.one<Run>('SELECT * FROM import_runs WHERE project_id = ?', projectId)
}

/** Stores the run of a project, and deletes an earlier one. */
export function put(
  db: Database,
  projectId: number,
  columns: Partial<RunColumns> & Pick<RunColumns, 'correlation_id' | 'created_at' | 'updated_at'>,
): Run {
  db.exec('DELETE FROM import_runs WHERE project_id = ?', projectId)
  db.run(q.insertInto('import_runs').values({ ...columns, project_id: projectId }))
  return byProject(db, projectId)!
}

export function update(db: Database, projectId: number, changes: Partial<RunColumns>): void {
  db.run(q.updateTable('import_runs').set(changes).where('project_id', '=', projectId))
}

/** One page of the runs that the actor started in projects that they can see, newest first. */
export function runsOfActor(ctx: Ctx, { limit, offset }: Page): Rows<Run> {
  const from = sql`FROM import_runs r JOIN projects p ON p.id = r.project_id
    WHERE r.user_id = ${ctx.actor.id} AND ${visibleProjects(ctx, 'check')}`
  const page = sql<Run>`SELECT r.* ${from} ORDER BY r.id DESC LIMIT ${limit} OFFSET ${offset}`
  return { rows: selectAll(ctx.db, page), total: boundedCount(ctx.db, sql`SELECT 1 ${from}`) }
}

/** Projects with an active import that has reported no progress since a time. */
export function stalledSince(db: Database, time: string): number[] {
  const silent = `SELECT r.project_id FROM import_runs r JOIN projects p ON p.id = r.project_id
    WHERE p.import_status IN ('scheduled', 'started') AND coalesce(r.heartbeat_at, r.created_at) < ?`
  return db.many<{ project_id: number }>(silent, time).map((row) => row.project_id)
}

/** Names of the archives that an import still needs. */
export function filesInUse(db: Database): Set<string> {
  const rows = db.many<{ file: string }>(
    `SELECT file FROM import_runs WHERE file IS NOT NULL
     UNION ALL SELECT file FROM relation_imports WHERE file IS NOT NULL`,
  )
  return new Set(rows.map((row) => row.file))
}

/** Projects with an active import, which may have a partial download. */
export function projectsWithDownloads(db: Database): number[] {
  const running = `SELECT r.project_id FROM import_runs r JOIN projects p ON p.id = r.project_id
    WHERE p.import_status IN ('scheduled', 'started')`
  return db.many<{ project_id: number }>(running).map((row) => row.project_id)
}

/** Projects with a scheduled or running import. */
export function activeProjects(db: Database): number[] {
  const running = "SELECT id FROM projects WHERE import_status IN ('scheduled', 'started')"
  return db.many<{ id: number }>(running).map((row) => row.id)
}

/** Whether a project has a scheduled or running import. */
export function isActive(db: Database, projectId: number): boolean {
  const running = "SELECT 1 FROM projects WHERE id = ? AND import_status IN ('scheduled', 'started')"
  return db.one(running, projectId) !== undefined
}

/** Adds to the number of fetched or imported records of a kind, such as `issue` or `pull_request_review`. */
export function addStats(
  ctx: Pick<Ctx, 'db'>,
  projectId: number,
  side: 'fetched' | 'imported',
  kind: string,
  count = 1,
): void {
  const path = `$.${side}.${kind.replace(/[^a-z0-9_]/gi, '')}`
  ctx.db.exec(
    `UPDATE import_runs SET stats = json_set(stats, ?, coalesce(json_extract(stats, ?), 0) + ?)
     WHERE project_id = ? AND stats IS NOT NULL`,
    path,
    path,
    count,
    projectId,
  )
}

/** A record that could not be imported. */
export interface FailedRecord {
  readonly relation_name?: string | null
  readonly line_number?: number | null
  /** The failed step or record, such as `process_relation_item!` or `Issue #3`. */
  readonly source: string
  readonly exception_class: string
  readonly exception_message: string
}

export type FailureRow = Omit<Selectable<ImportFailuresTable>, 'project_id' | 'group_id' | 'correlation_id'>

/** The project or group into which the records were imported. */
export type FailureOwner = { readonly project_id: number } | { readonly group_id: number }

/** The maximum number of failures in an answer (spec administration 6.4). */
export const MAX_SHOWN = 100
const MAX_TEXT = 2000

const columnOf = (owner: FailureOwner): ['project_id' | 'group_id', number] =>
  'project_id' in owner ? ['project_id', owner.project_id] : ['group_id', owner.group_id]

/** Stores failed records in one transaction. */
export function recordFailures(ctx: Ctx, owner: FailureOwner, failures: readonly FailedRecord[]): void {
  const [column, id] = columnOf(owner)
  tx(ctx.db, () => {
    for (const failure of failures)
      ctx.db.exec(
        `INSERT INTO import_failures (${column}, correlation_id, relation_name, line_number, source, exception_class,
           exception_message, created_at)
         VALUES (?, (SELECT correlation_id FROM import_runs WHERE project_id = ?), ?, ?, ?, ?, ?, ?)`,
        id,
        column === 'project_id' ? id : null,
        failure.relation_name ?? null,
        failure.line_number ?? null,
        failure.source.slice(0, MAX_TEXT),
        failure.exception_class.slice(0, MAX_TEXT),
        failure.exception_message.slice(0, MAX_TEXT),
        ctx.now,
      )
  })
}

export function clearFailures(db: Database, owner: FailureOwner): void {
  const [column, id] = columnOf(owner)
  db.exec(`DELETE FROM import_failures WHERE ${column} = ?`, id)
}

/** Moves failures of a subgroup to the top group of the import. */
export function moveFailures(db: Database, fromGroup: number, toGroup: number): void {
  db.exec('UPDATE import_failures SET group_id = ? WHERE group_id = ?', toGroup, fromGroup)
}

/** One page of the failed records, oldest first. */
export function failuresOf(db: Database, owner: FailureOwner, { limit, offset }: Page): Rows<FailureRow> {
  const [column, id] = columnOf(owner)
  const rows = db.many<FailureRow>(
    `SELECT id, created_at, exception_class, exception_message, source, relation_name, line_number
     FROM import_failures WHERE ${column} = ? ORDER BY id LIMIT ? OFFSET ?`,
    id,
    limit,
    offset,
  )
  return { rows, total: countFailures(db, owner) }
}

export function countFailures(db: Database, owner: FailureOwner): number {
  const [column, id] = columnOf(owner)
  const count = `SELECT count(*) AS total FROM import_failures WHERE ${column} = ?`
  return db.one<{ total: number }>(count, id)!.total
}

/** The number of failures of each project that has any. */
export function countFailuresOfProjects(
  db: Database,
  projectIds: readonly number[],
): ReadonlyMap<number, number> {
  const rows = db.many<{ project_id: number; total: number }>(
    `SELECT project_id, count(*) AS total FROM import_failures
     WHERE project_id IN (SELECT value FROM json_each(?)) GROUP BY project_id`,
    jsonList(projectIds),
  )
  return new Map(rows.map((row) => [row.project_id, row.total]))
}

/** The number of failures of a project by relation. */
export function countFailuresByRelation(db: Database, projectId: number): ReadonlyMap<string | null, number> {
  const rows = db.many<{ name: string | null; total: number }>(
    `SELECT relation_name AS name, count(*) AS total FROM import_failures WHERE project_id = ?
     GROUP BY relation_name`,
    projectId,
  )
  return new Map(rows.map(({ name, total }) => [name, total]))
}

/**
 * The ID of the row that was created for a source record; null if none was created, undefined if it was not imported
 * yet.
 */
export function markedId(
  db: Database,
  projectId: number,
  kind: string,
  key: string | number,
): number | null | undefined {
  const mark = 'SELECT target_id FROM import_marks WHERE project_id = ? AND kind = ? AND source_key = ?'
  return db.one<{ target_id: number | null }>(mark, projectId, kind, String(key))?.target_id
}

/**
 * Stores the ID of the row that was created for a source record. Must be called in the transaction that creates the
 * row.
 */
export function mark(
  ctx: Pick<Ctx, 'db'>,
  projectId: number,
  kind: string,
  key: string | number,
  targetId: number | null,
): void {
  ctx.db.exec(
    `INSERT INTO import_marks (project_id, kind, source_key, target_id) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET target_id = excluded.target_id`,
    projectId,
    kind,
    String(key),
    targetId,
  )
}

/** Tables of user content in a project. */
const CONTENT = ['issues', 'merge_requests', 'milestones', 'snippets', 'wikis'] as const

/** Whether a project has an issue, a merge request, a milestone, a snippet or a wiki. */
export function hasContent(db: Database, projectId: number): boolean {
  return CONTENT.some(
    (table) => db.one(`SELECT 1 FROM ${table} WHERE project_id = ? LIMIT 1`, projectId) !== undefined,
  )
}

/** Whether another project of the namespace has this name or path. */
export function isTaken(
  db: Database,
  namespaceId: number,
  { column, value, excludedId }: { column: 'name' | 'path'; value: string; excludedId: number | null },
): boolean {
  const other = `SELECT 1 FROM projects WHERE namespace_id = ? AND ${column} = ? COLLATE NOCASE AND id IS NOT ?`
  return db.one(other, namespaceId, value, excludedId) !== undefined
}
