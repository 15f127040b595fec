import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import { ownExportsOf } from '../artifacts/exports.ts'
import { itemsOfJob } from '../job_variables/items-of-job.ts'
import type { JobDetailsRow, JobRow } from '../jobs/store.ts'
import * as pipelines from '../pipelines/store.ts'

/**
 * The variables that the address of a deployment can be put together from: those of its job and what the job exported
 * itself, without secrets, for who sees the environment sees its address (spec ci 5.4).
 */
export async function variablesForUrl(
  ctx: Ctx,
  project: Project,
  job: JobRow,
  details: JobDetailsRow,
): Promise<{ key: string; value: string }[]> {
  const pipeline = pipelines.byId(ctx.db, job.pipeline_id)
  if (!pipeline) return []
  const given = await itemsOfJob(ctx, { project, pipeline, job, details })
  const open = given.filter(({ isMasked, isFile }) => !isMasked && !isFile)
  return [...open.map(({ key, value }) => ({ key, value })), ...ownExportsOf(ctx, job.id)]
}
