import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { PipelineChanged } from '../events.ts'
import * as pipelines from '../pipelines/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { composite, wordOf } from './composite.ts'
import { secondsOf } from './duration.ts'
import { followDownstream } from './follow.ts'
import { isOver } from './statuses.ts'
import * as store from './store.ts'

/**
 * Works out the status of a pipeline from its newest jobs, with its times (spec ci 2.2, 2.3); tells the event where it
 * changed, and takes a parent along that follows it. A pipeline without jobs keeps its status.
 */
export function refreshPipeline(ctx: Ctx, pipelineId: number): void {
  tx(ctx.db, () => {
    const before = pipelines.byId(ctx.db, pipelineId)
    const words = store.standings(ctx.db, pipelineId).map((one) => wordOf(one.status, one.allow_failure))
    const status = composite(new Set(words))
    if (!before || status === null || status === before.status) return
    const after = pipelines.update(ctx.db, pipelineId, {
      status,
      ...timesOf(ctx, before, status),
      updated_at: ctx.now,
      lock_version: before.lock_version + 1,
    })
    tellPipeline(ctx, after, before.status)
    followDownstream(ctx, after, before.status)
  })
}

/** Tells that the status of a pipeline became another one. */
export function tellPipeline(ctx: Ctx, pipeline: PipelineRow, previous: string): void {
  publish(ctx, PipelineChanged, {
    project_id: pipeline.project_id,
    pipeline_id: pipeline.id,
    actor_id: ctx.actor.id,
    ref: pipeline.ref,
    sha: pipeline.sha,
    source: pipeline.source,
    merge_request_id: pipeline.merge_request_id,
    status: pipeline.status,
    previous_status: previous,
  })
}

function timesOf(
  ctx: Ctx,
  { id, started_at }: PipelineRow,
  status: string,
): Partial<Pick<PipelineRow, 'started_at' | 'finished_at' | 'duration'>> {
  const duration = () => (started_at === null ? {} : { duration: secondsOf(store.runs(ctx.db, id), ctx.now) })
  if (status === 'running') return { started_at: started_at ?? ctx.now, finished_at: null }
  if (isOver(status) && status !== 'skipped') return { finished_at: ctx.now, ...duration() }
  return { finished_at: null, ...(status === 'manual' ? duration() : {}) }
}
