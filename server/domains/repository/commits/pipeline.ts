import type { Ctx } from '../../../ctx.ts'
import { isAble } from '../../../policy/ability.ts'
import { project, type Project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import type { CommitPipeline } from './pipeline-view.ts'

const COLUMNS = 'id, iid, project_id, sha, ref, status, source, created_at, updated_at, name'

/**
 * The newest pipeline of a commit that the actor may see, whose status is the commit's. CI stands on repositories, so its
 * table is read here without it.
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
