import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import { seesAll } from '../../../policy/actor.ts'
import { MAINTAINER, OWNER } from '../../../policy/levels.ts'
import { findGroup, group } from '../../groups/index.ts'
import { findProject, project } from '../../projects/index.ts'
import { byId, type RunnerRow } from './store.ts'
import { isRunnerOf } from './store-list.ts'

/** Whether somebody may see the details of a runner: maintainers; those of the instance are seen by everybody signed in. */
export function maySee(ctx: Ctx, row: RunnerRow): boolean {
  return (
    row.runner_type === 'instance_type' || seesAll(ctx.actor) || isRunnerOf(ctx.db, ctx, row.id, MAINTAINER)
  )
}

/** Whether somebody may change a runner: maintainers of a project of it, owners of its group, else administrators. */
export function mayManage(ctx: Ctx, row: RunnerRow): boolean {
  return ctx.actor.is_admin || isRunnerOf(ctx.db, ctx, row.id, OWNER)
}

/** Throws the 403 of the contract for who may not change a runner. */
export function insistManages(ctx: Ctx, row: RunnerRow): void {
  if (!mayManage(ctx, row)) throw fail('forbidden', '403 Forbidden - No access granted')
}

/** What an event about a runner says of it. */
interface RunnerEvent {
  readonly runner_id: number
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
}

/** Whether a window may hear what happens to a runner: of those of the instance only administrators do, who hear all. */
export function mayHearOfRunner(ctx: Ctx, { runner_id, project_id, group_id }: RunnerEvent): boolean {
  const row = byId(ctx.db, runner_id)
  if (row) return isRunnerOf(ctx.db, ctx, row.id, MAINTAINER)
  // It was removed; what it worked for is still there.
  const owner = project_id === undefined ? undefined : findProject(ctx, String(project_id))
  if (owner) return project.roleOf(ctx, owner) >= MAINTAINER
  const above = group_id === undefined ? undefined : findGroup(ctx, String(group_id))
  return above !== undefined && group.roleOf(ctx, above) >= MAINTAINER
}
