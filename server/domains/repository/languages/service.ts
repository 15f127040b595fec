import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { inRepository, projectById, type Project } from '../../projects/index.ts'
import { detect, type Shares } from './detect.ts'
import * as store from './store.ts'

/** The languages of the default branch as it is now. */
export function languagesOf(ctx: Ctx, project: Project): Promise<Shares> {
  if (project.empty_repo) return Promise.resolve([])
  return inRepository(ctx, project, async (repo) => {
    const tip = await branchTip(repo, project.default_branch)
    return tip === null ? [] : detect(repo, tip)
  })
}

/** Keeps what lists filter by in step with the default branch. */
export async function refreshLanguages(ctx: Ctx, projectId: number): Promise<void> {
  const project = projectById(ctx.db, projectId)
  if (!project || project.repository_state !== 'ready') return
  const shares = await languagesOf(ctx, project)
  if (JSON.stringify(shares) === JSON.stringify(store.ofProject(ctx.db, projectId))) return
  tx(ctx.db, () => {
    // Deleted while git counted.
    if (projectById(ctx.db, projectId)) store.replace(ctx.db, projectId, shares)
  })
}
