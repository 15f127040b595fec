import type { Selectable, Updateable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount, contains } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { EnvironmentsTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'

/** An environment as stored. */
export type EnvironmentRow = Selectable<EnvironmentsTable>
export type EnvironmentColumns = Updateable<EnvironmentsTable>
/** The state of an environment (spec ci 5.3). */
export type EnvironmentState = 'available' | 'stopping' | 'stopped'

/** Filters of a list of environments. */
export interface EnvironmentFilter {
  readonly project_id: number
  readonly name?: string | undefined
  /** A part of the name, case-insensitive. */
  readonly search?: string | undefined
  readonly states?: EnvironmentState | undefined
}

function filteredQuery(filter: EnvironmentFilter) {
  let query = q.selectFrom('environments').where('project_id', '=', filter.project_id)
  if (filter.name !== undefined) query = query.where('name', '=', filter.name)
  if (filter.search) query = query.where(contains('name', filter.search))
  if (filter.states) query = query.where('state', '=', filter.states)
  return query
}

/** One page of the environments of a project, oldest first. */
export function list(
  db: Database,
  filter: EnvironmentFilter,
  paging: { readonly limit: number; readonly offset: number },
): Rows<EnvironmentRow> {
  const query = filteredQuery(filter)
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

export function byId(db: Database, projectId: number, id: number): EnvironmentRow | undefined {
  const query = q.selectFrom('environments').selectAll()
  return db.get(query.where('id', '=', id).where('project_id', '=', projectId))
}

export function byName(db: Database, projectId: number, name: string): EnvironmentRow | undefined {
  const query = q.selectFrom('environments').selectAll()
  return db.get(query.where('project_id', '=', projectId).where('name', '=', name))
}

export function bySlug(db: Database, projectId: number, slug: string): EnvironmentRow | undefined {
  const query = q.selectFrom('environments').selectAll()
  return db.get(query.where('project_id', '=', projectId).where('slug', '=', slug))
}

/** The environments with the given IDs, by ID. */
export function byIds(db: Database, ids: readonly number[]): Map<number, EnvironmentRow> {
  const rows = db.many<EnvironmentRow>(
    'SELECT * FROM environments WHERE id IN (SELECT value FROM json_each(?))',
    jsonList([...new Set(ids)]),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

export const { insert, update, remove } = table('environments')

/** Available environments with a stop time in the past, the longest overdue first. */
export function dueToStop(db: Database, now: string, limit: number): EnvironmentRow[] {
  return db.many<EnvironmentRow>(
    `SELECT * FROM environments WHERE auto_stop_at IS NOT NULL AND auto_stop_at <= ? AND state = 'available'
     ORDER BY auto_stop_at LIMIT ?`,
    now,
    limit,
  )
}

/** Stopped environments with a deletion time in the past. */
export function dueToDelete(db: Database, now: string, limit: number): EnvironmentRow[] {
  return db.many<EnvironmentRow>(
    `SELECT * FROM environments WHERE auto_delete_at IS NOT NULL AND auto_delete_at <= ? AND state = 'stopped'
     ORDER BY auto_delete_at LIMIT ?`,
    now,
    limit,
  )
}

/** Environments that have been in the state `stopping` since before a time. */
export function stoppingSince(db: Database, time: string): EnvironmentRow[] {
  return db.many<EnvironmentRow>(
    `SELECT * FROM environments WHERE state = 'stopping' AND updated_at < ?`,
    time,
  )
}

/** Stopped review apps that were created before a time and are not scheduled for deletion, the oldest first. */
export function deletableReviewApps(
  db: Database,
  projectId: number,
  before: string,
  limit: number,
): EnvironmentRow[] {
  return db.many<EnvironmentRow>(
    `SELECT * FROM environments WHERE project_id = ? AND environment_type = 'review' AND state = 'stopped'
       AND created_at < ? AND auto_delete_at IS NULL ORDER BY created_at, id LIMIT ?`,
    projectId,
    before,
    limit,
  )
}

/** Available environments without a change or deployment since a time. */
export function staleSince(db: Database, projectId: number, time: string): EnvironmentRow[] {
  return db.many<EnvironmentRow>(
    `SELECT * FROM environments e WHERE project_id = ? AND state = 'available' AND updated_at < ?
       AND NOT EXISTS (SELECT 1 FROM deployments d WHERE d.environment_id = e.id AND d.updated_at >= ?)
     ORDER BY id`,
    projectId,
    time,
    time,
  )
}

/**
 * The environment that a job stops, found through the deployments of its pipeline, because the environment may have
 * been renamed.
 */
export function stoppedBy(
  db: Database,
  job: { readonly pipeline_id: number; readonly name: string },
): EnvironmentRow | undefined {
  return db.one<EnvironmentRow>(
    `SELECT e.* FROM ci_jobs j JOIN deployments d ON d.job_id = j.id JOIN environments e ON e.id = d.environment_id
     WHERE j.pipeline_id = ? AND d.on_stop = ? ORDER BY d.id DESC LIMIT 1`,
    job.pipeline_id,
    job.name,
  )
}

/** Available environments with a branch as the source of their last successful deployment. */
export function availableOfBranch(db: Database, projectId: number, branch: string): EnvironmentRow[] {
  return db.many<EnvironmentRow>(
    `SELECT e.* FROM environments e JOIN deployments d ON d.id =
       (SELECT max(id) FROM deployments WHERE environment_id = e.id AND status = 'success')
     WHERE e.project_id = ? AND e.state = 'available' AND d.tag = 0 AND d.ref = ?`,
    projectId,
    branch,
  )
}

/**
 * Available environments of a merge request. Either its pipelines created the last successful deployment, or no
 * deployment succeeded and all deployments belong to the merge request.
 */
export function availableOfMergeRequest(
  db: Database,
  projectId: number,
  mergeRequestId: number,
): EnvironmentRow[] {
  return db.many<EnvironmentRow>(
    `SELECT e.* FROM environments e JOIN deployments d ON d.id = ifnull(
       (SELECT max(id) FROM deployments WHERE environment_id = e.id AND status = 'success'),
       (SELECT max(id) FROM deployments WHERE environment_id = e.id))
     JOIN ci_jobs j ON j.id = d.job_id JOIN ci_pipelines p ON p.id = j.pipeline_id
     WHERE e.project_id = ? AND e.state = 'available' AND p.merge_request_id = ?
       AND (d.status = 'success' OR NOT EXISTS (
         SELECT 1 FROM deployments other JOIN ci_jobs oj ON oj.id = other.job_id
           JOIN ci_pipelines op ON op.id = oj.pipeline_id
         WHERE other.environment_id = e.id AND op.merge_request_id IS NOT p.merge_request_id))`,
    projectId,
    mergeRequestId,
  )
}
