import type { Ctx } from '../../../../ctx.ts'
import { fullPath, type Project } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { compileApart, type Compiled, type Limits, resolverFor } from '../../../ci_config/index.ts'
import { artifactsOfPipeline } from './artifact-source.ts'
import type { Known } from './circumstances.ts'

/** Longest time for includes (spec ci 4.1). */
export const INCLUDE_MS = 30_000

/** A configuration to be read. */
export interface ConfigToCompile {
  readonly text: string | null
  /** Commit whose files it includes; null where there is none. */
  readonly sha: string | null
  /** The pipeline above, whose jobs may have made files that are included. */
  readonly parent_id?: number | undefined
  /** Leaves out the merged YAML, which only people read. */
  readonly isForPipeline?: boolean
}

/** Reads a configuration in a project, with the rights of the actor and the variables of the circumstances. */
export function compileIn(
  ctx: Ctx,
  project: Project,
  config: ConfigToCompile,
  known: Known,
): Promise<Compiled> {
  const signal = AbortSignal.timeout(INCLUDE_MS)
  const variables = new Map([...known.predefined, ...known.stored].map(({ key, value }) => [key, value]))
  const { parent_id } = config
  const artifact = parent_id === undefined ? {} : { artifact: artifactsOfPipeline(ctx, parent_id) }
  return compileApart(
    config.text,
    { ...resolverFor(ctx, signal), ...artifact },
    {
      origin: config.sha === null ? null : { project: fullPath(project), sha: config.sha },
      variables,
      masked: known.masked,
      isForPipeline: config.isForPipeline ?? false,
      limits: limitsOf(ctx),
    },
    signal,
  )
}

/** How large configurations may be, by the settings of the moment. */
export function limitsOf(ctx: Pick<Ctx, 'db' | 'now'>): Limits {
  const settings = settingsOf(ctx)
  return {
    yamlBytes: settings.max_yaml_size_bytes,
    yamlDepth: settings.max_yaml_depth,
    includes: settings.ci_max_includes,
    totalBytes: settings.ci_max_total_yaml_size_bytes,
  }
}
