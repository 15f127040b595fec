import { q, type Database } from '../../db/database.ts'
import type { EvidenceRow } from './types.ts'

/** An issue of a milestone, as evidence contains it. */
export interface EvidenceIssue {
  readonly id: number
  readonly milestone_id: number
  readonly title: string
  readonly description: string | null
  readonly state: string
  readonly iid: number
  readonly created_at: string
  readonly due_date: string | null
  readonly author_id: number | null
}

/** The file types of artifacts that are not reports. */
const NO_REPORTS = "('archive', 'metadata', 'trace')"

/** Returns evidence of a release by its ID. */
export function byId(db: Database, releaseId: number, id: number): EvidenceRow | undefined {
  return db.get(
    q.selectFrom('release_evidences').selectAll().where('release_id', '=', releaseId).where('id', '=', id),
  )
}

/** Whether a release has evidence. */
export function exists(db: Database, releaseId: number): boolean {
  return db.one('SELECT 1 FROM release_evidences WHERE release_id = ? LIMIT 1', releaseId) !== undefined
}

export function insert(db: Database, row: Omit<EvidenceRow, 'id'>): EvidenceRow {
  return db.get(q.insertInto('release_evidences').values(row).returningAll())!
}

/** Returns the IDs of the milestones of a release, sorted by due date. */
export function milestoneIds(db: Database, releaseId: number): number[] {
  const rows = db.many<{ id: number }>(
    `SELECT m.id FROM release_milestones r JOIN milestones m ON m.id = r.milestone_id WHERE r.release_id = ?
     ORDER BY m.due_date IS NULL, m.due_date, m.title, m.id`,
    releaseId,
  )
  return rows.map((row) => row.id)
}

/**
 * Returns the issues of a project in the milestones of a release. Skips confidential issues, because not all readers of
 * the evidence may see them.
 */
export function issuesOf(db: Database, projectId: number, releaseId: number): EvidenceIssue[] {
  return db.many<EvidenceIssue>(
    `SELECT i.id, i.milestone_id, i.title, i.description, i.state, i.iid, i.created_at, i.due_date, i.author_id
     FROM release_milestones r JOIN issues i ON i.milestone_id = r.milestone_id
     WHERE r.release_id = ? AND i.project_id = ? AND i.confidential = 0 ORDER BY i.iid`,
    releaseId,
    projectId,
  )
}

/** Returns the names and public email addresses of users, by ID. */
export function authors(
  db: Database,
  ids: readonly number[],
): Map<number, { readonly id: number; readonly name: string; readonly email: string | null }> {
  const rows = db.many<{ id: number; name: string; email: string | null }>(
    `SELECT id, name, nullif(public_email, '') AS email FROM users WHERE id IN (SELECT value FROM json_each(?))`,
    JSON.stringify(ids),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns the IDs of the jobs of a pipeline that have reports. Skips retried jobs. */
export function jobsWithReports(db: Database, pipelineId: number): number[] {
  const rows = db.many<{ id: number }>(
    `SELECT j.id FROM ci_jobs j WHERE j.pipeline_id = ? AND j.kind = 'job' AND j.retried = 0 AND EXISTS (
       SELECT 1 FROM ci_artifacts a WHERE a.job_id = j.id AND a.file_type NOT IN ${NO_REPORTS}) ORDER BY j.id`,
    pipelineId,
  )
  return rows.map((row) => row.id)
}
