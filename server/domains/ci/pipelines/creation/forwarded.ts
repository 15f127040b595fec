import type { Ctx } from '../../../../ctx.ts'
import type { Project } from '../../../projects/index.ts'
import { userById } from '../../../users/index.ts'
import { exportsFor } from '../../artifacts/exports.ts'
import { expandText } from '../../config/variables.ts'
import { expandItems, strongest } from '../../job_variables/expand.ts'
import { configured, ofPlay, ofStart, stored } from '../../job_variables/given.ts'
import { plain, type Item } from '../../job_variables/item.ts'
import { ofJob } from '../../job_variables/of-job.ts'
import { ofProject } from '../../job_variables/of-project.ts'
import { ofServer } from '../../job_variables/of-server.ts'
import { ofUser } from '../../job_variables/of-user.ts'
import { ofTarget } from '../../job_variables/predefined.ts'
import { targetOfPipeline } from '../../job_variables/target.ts'
import { optionsOf } from '../../jobs/options.ts'
import type { JobDetailsRow, JobRow } from '../../jobs/store.ts'
import type { PipelineRow } from '../store.ts'
import type { GivenVariable } from './order.ts'

/** A trigger job with what its variables come from. */
export interface Bridge {
  readonly project: Project
  readonly pipeline: PipelineRow
  readonly job: JobRow
  readonly details: JobDetailsRow
}

/** All variables of a trigger job, expanded, by name. */
export async function variablesOfBridge(ctx: Ctx, bridge: Bridge): Promise<Map<string, Item>> {
  const { project, pipeline, job, details } = bridge
  const user = job.user_id === null ? undefined : userById(ctx.db, job.user_id)
  const items: Item[] = [
    ...ofJob(job, optionsOf(details)),
    ...ofServer(ctx),
    ...ofProject(ctx, project),
    ...plain({ CI_PIPELINE_ID: pipeline.id }),
    ...(await ofTarget(ctx, project, targetOfPipeline(pipeline))),
    ...configured(details),
    ...ofUser(user),
    ...exportsFor(ctx, job),
    ...stored(ctx, project, { isProtected: job.protected === 1 }),
    ...ofStart(ctx, pipeline.id),
    ...ofPlay(ctx, details),
  ]
  return new Map(expandItems(strongest(items)).map((item) => [item.key, item]))
}

/**
 * What a trigger job hands on: those of its configuration, and where it says so (`trigger:forward`) those that its own
 * pipeline was started with.
 */
export function forwarded(
  ctx: Ctx,
  bridge: Bridge,
  known: ReadonlyMap<string, Item>,
  forward: { readonly yaml_variables?: unknown; readonly pipeline_variables?: unknown },
): GivenVariable[] {
  const { details, pipeline } = bridge
  const own = forward.yaml_variables === false ? [] : [...configured(details), ...ofPlay(ctx, details)]
  const above = forward.pipeline_variables === true ? ofStart(ctx, pipeline.id) : []
  const valueOf = (name: string) => known.get(name)?.value
  return [...strongest(own), ...above].map(({ key, value, isFile, isRaw }) => ({
    key,
    value: isRaw || isFile ? value : expandText(value, valueOf),
    variable_type: isFile ? 'file' : 'env_var',
    raw: isRaw === true,
  }))
}
