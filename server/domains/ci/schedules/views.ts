import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import { usersById } from '../../users/index.ts'
import { placePipelines } from '../pipelines/view.ts'
import type { ScheduleDetailView, ScheduleView } from './entity.ts'
import { mayChange } from './rights.ts'
import * as store from './store.ts'
import type { ScheduleRow } from './store.ts'
import { openVariablesOf } from './variables/store.ts'

/** Schedules as lists show them. */
export function showSchedules(ctx: Pick<Ctx, 'db'>, rows: readonly ScheduleRow[]): ScheduleView[] {
  const owners = usersById(
    ctx.db,
    rows.flatMap((row) => row.owner_id ?? []),
  )
  return rows.map((row) => ({ row, owner: owners.get(row.owner_id ?? 0) ?? null }))
}

/** One schedule; its variables may be secrets and are for those who may change it. */
export function showSchedule(ctx: Ctx, project: Project, row: ScheduleRow): ScheduleDetailView {
  const last = store.lastPipeline(ctx.db, row.id)
  return {
    ...showSchedules(ctx, [row])[0]!,
    last: last ? placePipelines(project, [last])[0]! : null,
    variables: mayChange(ctx, project, row) ? openVariablesOf(ctx, row.id) : undefined,
  }
}
