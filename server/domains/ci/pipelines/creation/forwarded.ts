import type { Ctx } from '../../../../ctx.ts'
import { expandText } from '../../config/variables.ts'
import { strongest } from '../../job_variables/expand.ts'
import { configured, ofPlay, ofStart } from '../../job_variables/given.ts'
import type { Item } from '../../job_variables/item.ts'
import { itemsOfJob, type StoredJob } from '../../job_variables/items-of-job.ts'
import type { GivenVariable } from './order.ts'

/** A trigger job with what its variables come from. */
export type Bridge = StoredJob

/** All variables of a trigger job, expanded, by name. */
export async function variablesOfBridge(ctx: Ctx, bridge: Bridge): Promise<Map<string, Item>> {
  return new Map((await itemsOfJob(ctx, bridge)).map((item) => [item.key, item]))
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
