import type { Selectable } from 'kysely'

import { jsonList, type Database } from '../../../../db/database.ts'
import type {
  CiJobsTable,
  CiPipelinesTable,
  DeploymentsTable,
  EnvironmentsTable,
  ReleasesTable,
} from '../../../../db/schema.gen.ts'

// Reads pipelines, environments and releases for a world.

export type PipelineRow = Selectable<CiPipelinesTable>
export type JobRow = Selectable<CiJobsTable>

/** The newest pipelines of a project, oldest first, without downstream pipelines: their trigger jobs create them. */
export function pipelines(db: Database, projectId: number, limit: number): PipelineRow[] {
  return db
    .many<PipelineRow>(
      `SELECT * FROM ci_pipelines WHERE project_id = ? AND source <> 'parent_pipeline' ORDER BY id DESC LIMIT ?`,
      projectId,
      limit,
    )
    .reverse()
}

/** The jobs of pipelines, without trigger jobs and retried jobs. */
export function jobs(db: Database, pipelineIds: readonly number[]): JobRow[] {
  return db.many<JobRow>(
    `SELECT * FROM ci_jobs WHERE pipeline_id IN (SELECT value FROM json_each(?)) AND kind = 'job' AND retried = 0
     ORDER BY stage_index, id`,
    jsonList(pipelineIds),
  )
}

export function environments(db: Database, projectId: number): Selectable<EnvironmentsTable>[] {
  return db.many('SELECT * FROM environments WHERE project_id = ? ORDER BY id', projectId)
}

/** Deployments that API clients recorded. Deployments of CI jobs are left out, because the jobs create them. */
export function deployments(db: Database, projectId: number) {
  return db.many<Selectable<DeploymentsTable> & { environment: string }>(
    `SELECT d.*, e.name AS environment FROM deployments d JOIN environments e ON e.id = d.environment_id
     WHERE d.project_id = ? AND d.job_id IS NULL ORDER BY d.id`,
    projectId,
  )
}

export function releases(db: Database, projectId: number): Selectable<ReleasesTable>[] {
  return db.many('SELECT * FROM releases WHERE project_id = ? ORDER BY id', projectId)
}

export function releaseLinks(db: Database, releaseId: number) {
  return db.many<{ name: string; url: string; filepath: string | null; link_type: string }>(
    'SELECT name, url, filepath, link_type FROM release_links WHERE release_id = ? ORDER BY id',
    releaseId,
  )
}

export function releaseMilestones(db: Database, releaseId: number): string[] {
  const rows = db.many<{ title: string }>(
    `SELECT m.title FROM release_milestones o JOIN milestones m ON m.id = o.milestone_id WHERE o.release_id = ?
     ORDER BY m.title`,
    releaseId,
  )
  return rows.map(({ title }) => title)
}
