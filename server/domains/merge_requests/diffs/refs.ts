import type { Ctx } from '../../../ctx.ts'
import { keepAroundRef, listRefs, updateRefs } from '../../../git/refs.ts'
import type { Repo } from '../../../git/types.ts'
import { inRepository, projectById } from '../../projects/index.ts'

/** The ref of a merge request that clients can fetch: `head` its newest commit, `merge` the result of merging it. */
export function mergeRequestRef(iid: number, name: 'head' | 'merge'): string {
  return `refs/merge-requests/${iid}/${name}`
}

/** Lets the head of a merge request be fetched by its number, and keeps the commits of its version for ever. */
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

/** Removes what clients could fetch of a deleted merge request. Its commits stay for those who link to them. */
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
