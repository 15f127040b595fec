import type { Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { CiResourceGroupsTable } from '../../../db/schema.gen.ts'
import type { JobRow } from '../jobs/store.ts'

/** A resource group: its jobs run one at a time. */
export type ResourceGroupRow = Selectable<CiResourceGroupsTable>

/** A page of a project's resource groups, oldest first. */
export function list(
  db: Database,
  projectId: number,
  paging: { limit: number; offset: number },
): Rows<ResourceGroupRow> {
  const query = q.selectFrom('ci_resource_groups').where('project_id', '=', projectId)
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

export function byKey(db: Database, projectId: number, key: string): ResourceGroupRow | undefined {
  return db.get(
    q.selectFrom('ci_resource_groups').selectAll().where('project_id', '=', projectId).where('key', '=', key),
  )
}

/** Returns the resource group with a key, and creates it if it does not exist. */
export function ensure(db: Database, projectId: number, key: string, now: string): ResourceGroupRow {
  const existing = byKey(db, projectId, key)
  const times = { created_at: now, updated_at: now }
  const row = { project_id: projectId, key, ...times }
  return existing ?? db.get(q.insertInto('ci_resource_groups').values(row).returningAll())!
}

export function setMode(
  db: Database,
  id: number,
  mode: ResourceGroupRow['process_mode'],
  now: string,
): ResourceGroupRow {
  const changes = { process_mode: mode, updated_at: now }
  return db.get(q.updateTable('ci_resource_groups').set(changes).where('id', '=', id).returningAll())!
}

/** The job that uses the resource of a group. */
export function jobWithResource(db: Database, groupId: number): JobRow | undefined {
  const sql = 'SELECT * FROM ci_jobs WHERE resource_group_id = ? AND holds_resource = 1 ORDER BY id LIMIT 1'
  return db.one<JobRow>(sql, groupId)
}

/**
 * A page of the jobs that get the resource next, the next one first (spec ci 2.11). In an ordered mode it includes jobs
 * that are not waiting yet, because later jobs wait for them.
 */
export function upcomingJobs(
  db: Database,
  group: Pick<ResourceGroupRow, 'id' | 'process_mode'>,
  paging: { limit: number; offset: number },
): Rows<JobRow> {
  const isOrdered = group.process_mode !== 'unordered'
  const statuses: readonly JobRow['status'][] = isOrdered
    ? ['created', 'scheduled', 'waiting_for_resource']
    : ['waiting_for_resource']
  const query = q
    .selectFrom('ci_jobs')
    .where('resource_group_id', '=', group.id)
    .where('retried', '=', false)
    .where('status', 'in', statuses)
  const sorted = isOrdered
    ? query
        .orderBy('pipeline_id', group.process_mode === 'newest_first' ? 'desc' : 'asc')
        .orderBy((eb) => eb('status', '<>', 'waiting_for_resource'))
    : query
  const rows = db.all(sorted.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}
