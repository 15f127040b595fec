import { z } from 'zod'

import { job, type Job } from '../../../jobs/job.ts'
import { inNameOf } from '../../planning/index.ts'
import { markDeployment, removeRefs } from './refs.ts'
import { stopAll } from './stop.ts'
import { staleSince } from './store.ts'

/** Points a ref to what was deployed. */
export const markDeploymentRef = job(
  'ci.mark_deployment',
  { args: { project_id: z.number(), deployment_id: z.number() } },
  (ctx, { project_id, deployment_id }) => markDeployment(ctx, project_id, deployment_id),
)

/** Removes the refs of an environment, or of one deployment, that was deleted. */
export const removeEnvironmentRefs = job(
  'ci.remove_environment_refs',
  { args: { project_id: z.number(), slug: z.string(), iid: z.number().optional() } },
  (ctx, { project_id, slug, iid }) => removeRefs(ctx, project_id, slug, iid),
)

/** Stops the environments of a project that nothing was brought to since a time, in the name of who asked for it. */
export const stopStale = job(
  'ci.stop_stale_environments',
  { args: { project_id: z.number(), user_id: z.number().nullable(), before: z.string() } },
  (ctx, { project_id, user_id, before }) => {
    stopAll(inNameOf(ctx, user_id) ?? ctx, staleSince(ctx.db, project_id, before))
  },
)

export const jobs: Job[] = [markDeploymentRef as Job, removeEnvironmentRefs as Job, stopStale as Job]
