import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { RunnerChanged } from '../events.ts'
import { projectIdsOf, type RunnerRow } from './store.ts'

/** Tells what happened to a runner. To be called in the transaction of the change, before a runner is removed. */
export function tellOfRunner(ctx: Ctx, row: RunnerRow, action: 'registered' | 'changed' | 'removed'): void {
  const [project_id] = row.runner_type === 'project_type' ? projectIdsOf(ctx.db, row.id) : []
  publish(ctx, RunnerChanged, {
    runner_id: row.id,
    action,
    runner_type: row.runner_type,
    ...(project_id === undefined ? {} : { project_id }),
    ...(row.group_id === null ? {} : { group_id: row.group_id }),
    actor_id: ctx.actor.id,
  })
}
