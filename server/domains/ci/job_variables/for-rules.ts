import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import type { Variable } from '../../ci_config/index.ts'
import { variablesFor, type VariableUse } from '../variables/precedence.ts'

/** A variable that somebody gives when a pipeline is started. */
export interface StartVariable {
  readonly key: string
  readonly value: string
  readonly variable_type?: 'env_var' | 'file' | undefined
  readonly raw?: boolean | undefined
}

/**
 * What stands above the configuration when rules are read: what the instance, groups and the project set, and above that
 * what the pipeline is started with. The later of one name wins.
 */
export function variablesForRules(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  project: Pick<Project, 'id' | 'lineage'>,
  use: VariableUse & { readonly pipelineVariables?: readonly StartVariable[] | undefined },
): Variable[] {
  const stored = variablesFor(ctx, project, use).map(({ key, value, isRaw }) => ({ key, value, raw: isRaw }))
  const given = (use.pipelineVariables ?? []).map(({ key, value, raw }) => ({
    key,
    value,
    raw: raw === true,
  }))
  return [...stored, ...given]
}
