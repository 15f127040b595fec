import type { Ctx } from '../../../ctx.ts'
import { keepAroundRef, listRefs, updateRefs } from '../../../git/write/refs.ts'
import type { Repo } from '../../../git/types.ts'
import { inRepository, projectById } from '../../projects/index.ts'

/**
 * The refs of a merge request that clients can fetch: `head` is its newest commit, `merge` the result of merging it.
 */
export function mergeRequestRef(iid: number, name: 'head' | 'merge'): string {
  return `refs/merge-requests/${iid}/${name}`
}

/** Moves the head ref of a merge request, and keeps the commits of the version from being pruned. */
export async function keepVersion(
  repo: Repo,
  iid: number,
  version: { head: string; start: string },
): Promise<void> {
  const kept = [...new Set([version.head, version.start])]
  await updateRefs(repo, [
    { ref: mergeRequestRef(iid, 'head'), new: version.head },
    ...kept.map((commit) => ({ ref: keepAroundRef(commit), new: commit })),
  ])
}

/** Removes the refs of a deleted merge request. Its commits stay, since links may lead to them. */
export async function removeRefs(ctx: Ctx, deleted: { project_id: number; iid: number }): Promise<void> {
  const project = projectById(ctx.db, deleted.project_id)
  if (!project) return
  await inRepository(ctx, project, async (repo) => {
    const refs = await listRefs(repo, `refs/merge-requests/${deleted.iid}/`)
    await updateRefs(
      repo,
      refs.map(({ ref }) => ({ ref, new: null })),
    )
  })
}
