import { z } from 'zod'

import type { Ctx } from '../../../../ctx.ts'
import { enqueue, job, type Job } from '../../../../jobs/job.ts'
import { MAX_PIPELINES, pipelineOfPush } from './pushes.ts'

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
      told_at: z.string(),
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
  for (const { ref, old, new: to } of updates.filter((one) => one.new !== null).slice(0, MAX_PIPELINES)) {
    const args = { project_id, actor_id, ref, old, new: to!, options, told_at: ctx.now }
    // One at a time for each ref; other refs need not wait for the remote includes of one ref.
    enqueue(ctx, ofPush, args, { key: `ci.pipeline_of_push:${project_id}:${ref}` })
  }
}

export const jobs: Job[] = [ofPush as Job]
