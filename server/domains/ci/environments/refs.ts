import type { Ctx } from '../../../ctx.ts'
import { GitRefError } from '../../../git/errors.ts'
import { listRefs, updateRefs } from '../../../git/refs.ts'
import { projectById, repoOf } from '../../projects/index.ts'
import * as deployments from './deployments/store.ts'
import * as store from './store.ts'

const folderOf = (slug: string): string => `refs/environments/${slug}/deployments/`

/** Points a ref to what was deployed, so that it can be fetched and is kept (spec ci 5.4). */
export async function markDeployment(ctx: Ctx, projectId: number, deploymentId: number): Promise<void> {
  const project = projectById(ctx.db, projectId)
  const row = deployments.byId(ctx.db, projectId, deploymentId)
  const environment = row && store.byId(ctx.db, projectId, row.environment_id)
  if (!project || !environment) return
  const ref = `${folderOf(environment.slug)}${row.iid}`
  try {
    await updateRefs(repoOf(ctx, project), [{ ref, new: row.sha }])
  } catch (error) {
    // The commit may be gone by now: then there is nothing to keep.
    if (!(error instanceof GitRefError) || error.problem !== 'missing_object') throw error
  }
}

/** Removes the refs of an environment that is gone, all or those of some deployments. */
export async function removeRefs(ctx: Ctx, projectId: number, slug: string, iid?: number): Promise<void> {
  const project = projectById(ctx.db, projectId)
  if (!project || (iid === undefined && store.bySlug(ctx.db, projectId, slug))) return
  const repo = repoOf(ctx, project)
  const found = await listRefs(repo, folderOf(slug))
  const gone = found.filter(({ ref }) => iid === undefined || ref === `${folderOf(slug)}${iid}`)
  await updateRefs(
    repo,
    gone.map(({ ref }) => ({ ref, new: null })),
  )
}
