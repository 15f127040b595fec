import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { GitRefError } from '../../../git/errors.ts'
import { listRefs, updateRefs } from '../../../git/write/refs.ts'
import { job, type Job } from '../../../jobs/job.ts'
import { onBehalfOf } from '../../planning/index.ts'
import { projectById, repoOf } from '../../projects/index.ts'
import * as deployments from './deployments/store.ts'
import { stopAll } from './stop.ts'
import * as store from './store.ts'
import { staleSince } from './store.ts'

const folderOf = (slug: string): string => `refs/environments/${slug}/deployments/`

/** Creates a ref to the deployed commit, so that clients can fetch it and git keeps it (spec ci 5.4). */
async function markDeployment(ctx: Ctx, projectId: number, deploymentId: number): Promise<void> {
  const project = projectById(ctx.db, projectId)
  const row = deployments.byId(ctx.db, projectId, deploymentId)
  const environment = row && store.byId(ctx.db, projectId, row.environment_id)
  if (!project || !environment) return
  const ref = `${folderOf(environment.slug)}${row.iid}`
  try {
    await updateRefs(repoOf(ctx, project), [{ ref, new: row.sha }])
  } catch (error) {
    // A commit that no longer exists needs no ref.
    if (!(error instanceof GitRefError) || error.problem !== 'missing_object') throw error
  }
}

/** Deletes the refs of a deleted environment, or with `iid` the ref of a deleted deployment. */
async function removeRefs(ctx: Ctx, projectId: number, slug: string, iid?: number): Promise<void> {
  const project = projectById(ctx.db, projectId)
  if (!project || (iid === undefined && store.bySlug(ctx.db, projectId, slug))) return
  const repo = repoOf(ctx, project)
  const refs = await listRefs(repo, folderOf(slug))
  const removed = refs.filter(({ ref }) => iid === undefined || ref === `${folderOf(slug)}${iid}`)
  await updateRefs(
    repo,
    removed.map(({ ref }) => ({ ref, new: null })),
  )
}

/** Creates a ref to the deployed commit. */
export const markDeploymentRef = job(
  'ci.mark_deployment',
  { args: { project_id: z.number(), deployment_id: z.number() } },
  (ctx, { project_id, deployment_id }) => markDeployment(ctx, project_id, deployment_id),
)

/** Removes the refs of a deleted environment or deployment. */
export const removeEnvironmentRefs = job(
  'ci.remove_environment_refs',
  { args: { project_id: z.number(), slug: z.string(), iid: z.number().optional() } },
  (ctx, { project_id, slug, iid }) => removeRefs(ctx, project_id, slug, iid),
)

/** Stops the environments of a project that have had no deployment since a time, as the user who requested it. */
export const stopStale = job(
  'ci.stop_stale_environments',
  { args: { project_id: z.number(), user_id: z.number().nullable(), before: z.string() } },
  (ctx, { project_id, user_id, before }) => {
    stopAll(onBehalfOf(ctx, user_id) ?? ctx, staleSince(ctx.db, project_id, before))
  },
)

export const jobs: Job[] = [markDeploymentRef as Job, removeEnvironmentRefs as Job, stopStale as Job]
