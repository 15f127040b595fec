import type { Selectable } from 'kysely'

import type { Database } from '../../../db/database.ts'
import type { CiPipelinesTable } from '../../../db/schema.gen.ts'

/** What a commit says of its newest pipeline. */
export type CommitPipeline = Pick<
  Selectable<CiPipelinesTable>,
  'id' | 'iid' | 'project_id' | 'sha' | 'ref' | 'status' | 'source' | 'created_at' | 'updated_at'
>

/**
 * The newest pipeline of a commit, whose status is the commit's. CI stands on repositories, so its table is read here
 * without it.
 */
export function latestPipeline(db: Database, projectId: number, sha: string): CommitPipeline | undefined {
  return db.one<CommitPipeline>(
    `SELECT id, iid, project_id, sha, ref, status, source, created_at, updated_at FROM ci_pipelines
     WHERE project_id = ? AND sha = ? ORDER BY id DESC LIMIT 1`,
    projectId,
    sha,
  )
}
