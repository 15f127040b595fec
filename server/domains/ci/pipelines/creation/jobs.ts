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

/** Refs of one push that get a pipeline; further refs get none. */
const MAX_PIPELINES = 4

/** A branch or tag that was pushed. */
interface Pushed {
  readonly project_id: number
  readonly actor_id: number | null
  /** In full. */
  readonly ref: string
  readonly old: string | null
  readonly new: string
  readonly options: readonly string[]
  /** When the event of the push was handled. */
  readonly pushed_at: string
}

/** Creates the pipeline of a push as the user who pushed; none if that user is gone or may not create any. */
async function pipelineOfPush(ctx: Ctx, pushed: Pushed): Promise<void> {
  const project = projectById(ctx.db, pushed.project_id)
  const acting = onBehalfOf(ctx, pushed.actor_id)
  if (!project || !acting) return
  // For an annotated tag this is its commit.
  const sha = await resolveCommit(repoOf(ctx, project), pushed.new)
  if (sha === null || isCreated(ctx, pushed, sha)) return
  await tryPipeline(acting, project, {
    source: 'push',
    ref: pushed.ref,
    sha,
    before_sha: pushed.old,
    variables: variablesIn(pushed.options),
    push_options: pushed.options,
  })
}

/** True if an earlier attempt of the job created the pipeline before the instance was killed. */
function isCreated({ db }: Ctx, { project_id, ref, old, pushed_at }: Pushed, sha: string): boolean {
  const name = ref.replace(/^refs\/(?:heads|tags)\//, '')
  return existsSince(db, { project_id, sha, ref: name, before_sha: old ?? ZERO_ID }, pushed_at)
}

const VARIABLE = /^ci\.variable=(?<key>\w{1,255})=(?<value>.*)$/s

/** `git push -o ci.variable="KEY=value"`. */
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

/** Enqueues the creation of the pipelines of a push, one for each of its first branches and tags, in their order. */
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
  // An event for a further part belongs to a push of far more refs than get pipelines.
  if (part > 1) return
  const options = push_options.filter((option) => option.startsWith('ci.'))
  for (const { ref, old, new: to } of updates
    .filter((update) => update.new !== null)
    .slice(0, MAX_PIPELINES)) {
    const args = { project_id, actor_id, ref, old, new: to!, options, pushed_at: ctx.now }
    // One at a time for each ref; other refs need not wait for the remote includes of one ref.
    enqueue(ctx, ofPush, args, { key: `ci.pipeline_of_push:${project_id}:${ref}` })
  }
}

export const jobs: Job[] = [ofPush as Job]
