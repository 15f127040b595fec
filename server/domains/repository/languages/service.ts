import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { inRepository, projectById, type Project } from '../../projects/index.ts'
import { loadCatalogue } from './catalogue.ts'
import { detect, type Shares } from './detect.ts'
import * as store from '../store.ts'

/** Returns the languages of the default branch. */
export function languagesOf(ctx: Ctx, project: Project): Promise<Shares> {
  if (project.empty_repo) return Promise.resolve([])
  return inRepository(ctx, project, async (repo) => {
    const tip = await branchTip(repo, project.default_branch)
    const catalogue = () => ctx.db.instance('repository.languages', loadCatalogue)
    return tip === null ? [] : detect(repo, tip, catalogue)
  })
}

/** Updates the stored languages, which project lists filter by. */
export async function refreshLanguages(ctx: Ctx, projectId: number): Promise<void> {
  const project = projectById(ctx.db, projectId)
  if (!project || project.repository_state !== 'ready') return
  const shares = await languagesOf(ctx, project)
  if (JSON.stringify(shares) === JSON.stringify(store.ofProject(ctx.db, projectId))) return
  tx(ctx.db, () => {
    // The project was deleted while git counted.
    if (projectById(ctx.db, projectId)) store.replace(ctx.db, projectId, shares)
  })
}
