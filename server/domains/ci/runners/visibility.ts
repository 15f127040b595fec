import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import { seesAll } from '../../../policy/actor.ts'
import { MAINTAINER, OWNER } from '../../../policy/levels.ts'
import { findGroup, group } from '../../groups/index.ts'
import { findProject, project } from '../../projects/index.ts'
import { byId, type RunnerRow } from './store.ts'
import { isRunnerOf } from './store-list.ts'

/** Whether the actor can see the details of a runner: maintainers, and for instance runners every signed-in user. */
export function maySee(ctx: Ctx, row: RunnerRow): boolean {
  return (
    row.runner_type === 'instance_type' || seesAll(ctx.actor) || isRunnerOf(ctx.db, ctx, row.id, MAINTAINER)
  )
}

/** Whether the actor can change a runner: maintainers of one of its projects, owners of its group, and administrators. */
export function mayManage(ctx: Ctx, row: RunnerRow): boolean {
  return ctx.actor.is_admin || isRunnerOf(ctx.db, ctx, row.id, OWNER)
}

/** Throws the 403 of the contract if the actor cannot change a runner. */
export function insistManages(ctx: Ctx, row: RunnerRow): void {
  if (!mayManage(ctx, row)) throw fail('forbidden', '403 Forbidden - No access granted')
}

/** The payload of an event about a runner. */
interface RunnerEvent {
  readonly runner_id: number
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
}

/** Whether a window receives events of a runner. Events of instance runners go to administrators only. */
export function mayHearOfRunner(ctx: Ctx, { runner_id, project_id, group_id }: RunnerEvent): boolean {
  const row = byId(ctx.db, runner_id)
  if (row) return isRunnerOf(ctx.db, ctx, row.id, MAINTAINER)
  // The runner was removed, but its projects and group still exist.
  const owner = project_id === undefined ? undefined : findProject(ctx, String(project_id))
  if (owner) return project.roleOf(ctx, owner) >= MAINTAINER
  const above = group_id === undefined ? undefined : findGroup(ctx, String(group_id))
  return above !== undefined && group.roleOf(ctx, above) >= MAINTAINER
}
