import type { Ctx } from '../../../ctx.ts'
import { findCommit } from '../../../git/commits.ts'
import { listTags } from '../../../git/refs.ts'
import { branchTip } from '../../../git/revisions.ts'
import { repoOf, type Project } from '../../projects/index.ts'
import type { RefMove } from './push.ts'

/** The newest commit of the default branch as if it were just pushed; undefined for an empty repository. */
export async function newestPush(ctx: Ctx, project: Project): Promise<RefMove | undefined> {
  const repo = repoOf(ctx, project)
  const tip = await branchTip(repo, project.default_branch)
  const commit = tip === null ? null : await findCommit(repo, tip)
  if (!commit) return undefined
  return { ref: `refs/heads/${project.default_branch}`, old: commit.parent_ids[0] ?? null, new: commit.id }
}

/** The newest tag as if it were just pushed; undefined without any. */
export async function newestTag(ctx: Ctx, project: Project): Promise<RefMove | undefined> {
  const repo = repoOf(ctx, project)
  const [tag] = await listTags(repo, { order: 'updated_desc' })
  return tag && { ref: tag.ref, old: null, new: tag.target }
}
