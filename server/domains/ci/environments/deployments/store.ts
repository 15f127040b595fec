import type { Selectable, Updateable } from 'kysely'

import { q, type Database } from '../../../../db/database.ts'
import type { DeploymentsTable } from '../../../../db/schema.gen.ts'

/** A deployment as stored. */
export type DeploymentRow = Selectable<DeploymentsTable>
export type DeploymentColumns = Updateable<DeploymentsTable>

/** The next number of a project's deployments, from 1. To be called in the transaction that uses it. */
function nextIid(db: Database, projectId: number): number {
  return db.one<{ deployments: number }>(
    `INSERT INTO ci_counters (project_id, deployments) VALUES (?, 1)
     ON CONFLICT (project_id) DO UPDATE SET deployments = deployments + 1 RETURNING deployments`,
    projectId,
  )!.deployments
}

/** Stores a deployment with the next number of its project. */
export function insert(db: Database, row: Omit<DeploymentRow, 'id' | 'iid'>): DeploymentRow {
  const iid = nextIid(db, row.project_id)
  return db.get(
    q
      .insertInto('deployments')
      .values({ ...row, iid })
      .returningAll(),
  )!
}

export function update(db: Database, id: number, columns: DeploymentColumns): DeploymentRow {
  return db.get(q.updateTable('deployments').set(columns).where('id', '=', id).returningAll())!
}

export function byId(db: Database, projectId: number, id: number): DeploymentRow | undefined {
  const query = q.selectFrom('deployments').selectAll()
  return db.get(query.where('id', '=', id).where('project_id', '=', projectId))
}

/** What a job deploys. */
export function ofJob(db: Database, jobId: number): DeploymentRow | undefined {
  return db.get(q.selectFrom('deployments').selectAll().where('job_id', '=', jobId))
}
