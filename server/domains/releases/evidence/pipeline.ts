import { newestPipelineOf } from '../../ci/index.ts'
import type { Database } from '../../../db/database.ts'

/** Id of the newest pipeline of a commit; null where none ran. */
export function newestPipeline(db: Database, projectId: number, sha: string | null): number | null {
  return sha === null ? null : (newestPipelineOf(db, projectId, sha)?.id ?? null)
}
