import type { Ctx } from '../../../ctx.ts'
import { resolveCommit } from '../../../git/revisions.ts'
import { Failure, notFound } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { milestonesByIds } from '../../planning/index.ts'
import { inRepository, project as scope, type Project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'

/** The full id of a commit that a name stands for. Throws `404 Commit Not Found`. */
export async function commitSeen(ctx: Ctx, project: Project, name: string): Promise<string> {
  const id = await inRepository(ctx, project, (repo) => resolveCommit(repo, name))
  if (id === null) throw notFound('Commit')
  return id
}

/** Whether the actor, who reads the code, reads the merge requests too. */
export function mayReadRequests(ctx: Ctx, project: Project): boolean {
  return isAble(ctx, scope, abilities.read_merge_request, project)
}

/** The id of a milestone that a project or group itself has. Throws `404 Not found`. */
export function ownMilestone(
  ctx: Ctx,
  id: number,
  owner: { readonly project_id: number } | { readonly group_id: number },
): number {
  const found = milestonesByIds(ctx.db, [id]).get(id)
  const isOwn =
    'project_id' in owner ? found?.project_id === owner.project_id : found?.group_id === owner.group_id
  if (!found || !isOwn) throw new Failure('not_found', '404 Not found')
  return id
}
