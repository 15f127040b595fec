import { z } from 'zod'

import type { Ctx } from '../../../../ctx.ts'
import { ZERO_ID } from '../../../../git/names.ts'
import { resolveCommit } from '../../../../git/read/revisions.ts'
import { enqueue, job, type Job } from '../../../../jobs/job.ts'
import { onBehalfOf } from '../../../planning/index.ts'
import { projectById, repoOf } from '../../../projects/index.ts'
import type { VariableInput } from './request.ts'
import { tryPipeline } from './service.ts'
import { existsSince } from './store.ts'

/** The maximum number of pipelines of one push. Further refs get none. */
const MAX_PIPELINES = 4

/** A branch or tag that was pushed. */
interface PushedRef {
  readonly project_id: number
  readonly actor_id: number | null
  /** The full ref. */
  readonly ref: string
  readonly old: string | null
  readonly new: string
  readonly options: readonly string[]
  /** When the job was stored. */
  readonly pushed_at: string
}

/** Creates the pipeline of a push as the user who pushed, if this user still exists and may create pipelines. */
async function pipelineOfPush(ctx: Ctx, pushed: PushedRef): Promise<void> {
  const project = projectById(ctx.db, pushed.project_id)
  const actorCtx = onBehalfOf(ctx, pushed.actor_id)
  if (!project || !actorCtx) return
  // The new value of an annotated tag is the tag object, so it is resolved to a commit.
  const sha = await resolveCommit(repoOf(ctx, project), pushed.new)
  if (sha === null || isCreated(ctx, pushed, sha)) return
  await tryPipeline(actorCtx, project, {
    source: 'push',
    ref: pushed.ref,
    sha,
    before_sha: pushed.old,
    variables: variablesIn(pushed.options),
    push_options: pushed.options,
  })
}

/** Whether an interrupted run of the job already created the pipeline. */
function isCreated({ db }: Ctx, { project_id, ref, old, pushed_at }: PushedRef, sha: string): boolean {
  const name = ref.replace(/^refs\/(?:heads|tags)\//, '')
  return existsSince(db, { project_id, sha, ref: name, before_sha: old ?? ZERO_ID }, pushed_at)
}

const VARIABLE = /^ci\.variable=(?<key>\w{1,255})=(?<value>.*)$/s

/** The variables in the push options: `git push -o ci.variable="KEY=value"`. */
export function variablesIn(options: readonly string[]): VariableInput[] {
  return options.flatMap((option) => {
    const { key, value } = VARIABLE.exec(option)?.groups ?? {}
    return key === undefined || value === undefined ? [] : [{ key, value }]
  })
}

const ofPush = job(
  'ci.pipeline_of_push',
  {
    args: {
      project_id: z.number(),
      actor_id: z.number().nullable(),
      ref: z.string(),
      old: z.string().nullable(),
      new: z.string(),
      options: z.array(z.string()),
      pushed_at: z.string(),
    },
  },
  pipelineOfPush,
)

/** Enqueues the creation of the pipelines of a push, one for each of its first branches and tags. */
export function requestPipelines(
  ctx: Ctx,
  push: {
    readonly project_id: number
    readonly actor_id: number | null
    readonly updates: readonly { ref: string; old: string | null; new: string | null }[]
    readonly part: number
    readonly push_options?: readonly string[] | undefined
  },
): void {
  const { project_id, actor_id, updates, part, push_options = [] } = push
  // A large push has several events. The first one contains more refs than get pipelines.
  if (part > 1) return
  const options = push_options.filter((option) => option.startsWith('ci.'))
  for (const { ref, old, new: to } of updates
    .filter((update) => update.new !== null)
    .slice(0, MAX_PIPELINES)) {
    const args = { project_id, actor_id, ref, old, new: to!, options, pushed_at: ctx.now }
    // The pipelines of one ref are created in order. Slow includes of one ref do not delay other refs.
    enqueue(ctx, ofPush, args, { key: `ci.pipeline_of_push:${project_id}:${ref}` })
  }
}

export const jobs: Job[] = [ofPush as Job]
