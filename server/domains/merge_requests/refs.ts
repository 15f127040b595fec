import type { Ctx } from '../../ctx.ts'
import { listRefs, updateRefs } from '../../git/refs.ts'
import { inRepository, projectById } from '../projects/index.ts'

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
