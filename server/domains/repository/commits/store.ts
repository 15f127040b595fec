import type { Ctx } from '../../../ctx.ts'
import { isAble } from '../../../policy/ability.ts'
import { project, type Project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import type { CommitPipeline } from './entity.ts'

const COLUMNS = 'id, iid, project_id, sha, ref, status, source, created_at, updated_at, name'

/**
 * Returns the newest pipeline of a commit that the actor may see; its status is the commit's status. The CI domain
 * imports this one, so this reads the table directly.
 */
export function latestPipeline(ctx: Ctx, owner: Project, sha: string): CommitPipeline | undefined {
  if (!isAble(ctx, project, abilities.read_commit_pipelines, owner)) return undefined
  return ctx.db.one<CommitPipeline>(
    `SELECT ${COLUMNS} FROM ci_pipelines
     WHERE project_id = ? AND sha = ? AND source <> 'parent_pipeline' ORDER BY id DESC LIMIT 1`,
    owner.id,
    sha,
  )
}
