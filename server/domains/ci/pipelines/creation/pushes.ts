import type { Ctx } from '../../../../ctx.ts'
import { inNameOf } from '../../../issuables/index.ts'
import { projectById } from '../../../projects/index.ts'
import type { GivenVariable } from './order.ts'
import { tryPipeline } from './create.ts'

/** Refs of one push that get a pipeline; the others of a larger push get none. */
export const MAX_PIPELINES = 4

/** A branch or tag that was pushed. */
export interface Pushed {
  readonly project_id: number
  readonly actor_id: number | null
  /** In full. */
  readonly ref: string
  readonly old: string | null
  readonly new: string
  readonly options: readonly string[]
}

/** The pipeline of a push, in the name of whoever pushed. None where they are gone, or may not make any. */
export async function pipelineOfPush(ctx: Ctx, pushed: Pushed): Promise<void> {
  const project = projectById(ctx.db, pushed.project_id)
  const acting = inNameOf(ctx, pushed.actor_id)
  if (!project || !acting) return
  await tryPipeline(acting, project, {
    source: 'push',
    ref: pushed.ref,
    sha: pushed.new,
    before_sha: pushed.old,
    variables: variablesIn(pushed.options),
    push_options: pushed.options,
  })
}

const VARIABLE = /^ci\.variable=(?<key>\w{1,255})=(?<value>.*)$/s

/** `git push -o ci.variable="KEY=value"`. */
export function variablesIn(options: readonly string[]): GivenVariable[] {
  return options.flatMap((option) => {
    const { key, value } = VARIABLE.exec(option)?.groups ?? {}
    return key === undefined || value === undefined ? [] : [{ key, value }]
  })
}
