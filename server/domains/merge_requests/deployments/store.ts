import { jsonList, type Database } from '../../../db/database.ts'

/** Merged merge requests of a project that came in with one of these commits. */
export function mergedBy(db: Database, projectId: number, shas: readonly string[]): number[] {
  const merged = "r.project_id = ? AND r.state = 'merged'"
  const rows = db.many<{ id: number }>(
    `WITH brought AS (SELECT value AS sha FROM json_each(?))
     SELECT r.id FROM brought JOIN merge_requests r ON r.merge_commit_sha = sha WHERE ${merged}
     UNION SELECT r.id FROM brought JOIN merge_requests r ON r.squash_commit_sha = sha WHERE ${merged}
     UNION SELECT r.id FROM brought JOIN merge_requests r ON r.head_sha = sha
       WHERE ${merged} AND r.merge_commit_sha IS NULL AND r.squash_commit_sha IS NULL`,
    jsonList(shas),
    projectId,
    projectId,
    projectId,
  )
  return rows.map((row) => row.id)
}

/** Where and when something was deployed. */
export interface Deployed {
  readonly environment: string
  readonly tier: string
  readonly deployed_at: string
}

/** Notes that merge requests were deployed. */
export function link(
  db: Database,
  ids: readonly number[],
  { environment, tier, deployed_at }: Deployed,
): void {
  db.exec(
    `INSERT INTO merge_request_deployments (merge_request_id, environment, tier, deployed_at)
     SELECT r.id, ?, ?, ? FROM merge_requests r WHERE r.id IN (SELECT value FROM json_each(?)) ON CONFLICT DO NOTHING`,
    environment,
    tier,
    deployed_at,
    jsonList(ids),
  )
}
