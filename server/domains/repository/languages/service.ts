import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { inRepository, projectById, type Project } from '../../projects/index.ts'
import { loadCatalog } from './catalog.ts'
import { detect, type Shares } from './detect.ts'
import * as store from '../store.ts'

/** Returns the languages of the default branch. */
export function languagesOf(ctx: Ctx, project: Project): Promise<Shares> {
  if (project.empty_repo) return Promise.resolve([])
  return inRepository(ctx, project, async (repo) => {
    const tip = await branchTip(repo, project.default_branch)
    const catalog = () => ctx.db.instance('repository.languages', loadCatalog)
    return tip === null ? [] : detect(repo, tip, catalog)
  })
}

/** Updates the stored languages of a project, by which lists of projects can be filtered. */
export async function refreshLanguages(ctx: Ctx, projectId: number): Promise<void> {
  const project = projectById(ctx.db, projectId)
  if (!project || project.repository_state !== 'ready') return
  const shares = await languagesOf(ctx, project)
  if (JSON.stringify(shares) === JSON.stringify(store.languagesOfProject(ctx.db, projectId))) return
  tx(ctx.db, () => {
    // The project may have been deleted in the meantime.
    if (projectById(ctx.db, projectId)) store.replaceLanguages(ctx.db, projectId, shares)
  })
}
