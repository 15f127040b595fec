import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { inNameOf } from '../../planning/index.ts'
import { projectById, project as projectScope, type Project } from '../../projects/index.ts'
import type { JobRow } from '../jobs/store.ts'
import { isPlayable } from '../processing/status.ts'
import { playJob } from '../processing/rerun.ts'
import { mayChange } from '../processing/policy.ts'
import { abilities } from './policy.ts'
import { publishEnvironment } from './service-events.ts'
import { isStillStopping, stopActionsOf, type StopAction } from './store-jobs.ts'
import * as store from './store.ts'
import type { EnvironmentColumns, EnvironmentRow } from './store.ts'

/** Updates an environment and publishes the event. Call it in a transaction. */
export function changeEnvironment(
  ctx: Ctx,
  row: EnvironmentRow,
  columns: EnvironmentColumns,
): EnvironmentRow {
  const changed = store.update(ctx.db, row.id, { ...columns, updated_at: ctx.now })
  publishEnvironment(ctx, changed)
  return changed
}

/** What becomes of an environment that is stopped: it cannot be stopped by the clock again. */
const STOPPED = { state: 'stopped', auto_stop_at: null } as const

/**
 * Stops an environment in the name of the actor: by the jobs that stop it, which take their time, or at once where there
 * are none or they shall not run (`force`; spec ci 5.3). One that is stopped already stays as it is. Who may is asked before.
 */
export function stopEnvironment(ctx: Ctx, row: EnvironmentRow, { force = false } = {}): EnvironmentRow {
  return tx(ctx.db, () => {
    const now = store.byId(ctx.db, row.project_id, row.id)
    if (!now || now.state === 'stopped') return now ?? row
    if (force) return changeEnvironment(ctx, now, STOPPED)
    if (now.state === 'stopping') return now
    const actions = (stopActionsOf(ctx.db, [row.id]).get(row.id) ?? []).filter(isOpen)
    if (actions.length === 0) return changeEnvironment(ctx, now, STOPPED)
    const stopping = changeEnvironment(ctx, now, { state: 'stopping' })
    for (const action of actions) play(ctx, action)
    return stopping
  })
}

/** Stops an environment for somebody who may stop environments. Throws 403 where they may not run a job that it takes. */
export function stopByHand(
  ctx: Ctx,
  project: Project,
  row: EnvironmentRow,
  { force }: { readonly force: boolean },
): EnvironmentRow {
  const actions = force ? [] : (stopActionsOf(ctx.db, [row.id]).get(row.id) ?? [])
  if (!mayRun(ctx, project, actions)) throw fail('forbidden')
  return stopEnvironment(ctx, row, { force })
}

/** True where the actor may run all of these jobs; protected branches ask for more. */
export function mayRun(ctx: Ctx, project: Project, actions: readonly StopAction[]): boolean {
  return actions.every((action) => mayChange(ctx, project, action))
}

const UNDER_WAY = new Set(['waiting_for_resource', 'preparing', 'pending', 'running'])

/** It can be started, or runs already. */
function isOpen(action: StopAction): boolean {
  return isPlayable(action) || UNDER_WAY.has(action.status)
}

function play(ctx: Ctx, action: StopAction): void {
  if (isPlayable(action)) playJob(ctx, action)
}

/** Takes the time away at which an environment stops by itself. */
export function cancelAutoStop(ctx: Ctx, row: EnvironmentRow): EnvironmentRow {
  return tx(ctx.db, () => changeEnvironment(ctx, row, { auto_stop_at: null }))
}

/** Marks an environment as stopped after its stop job succeeded, unless other stop jobs still run (spec ci 5.3). */
export function finishStop(ctx: Ctx, job: JobRow): void {
  tx(ctx.db, () => {
    const row = store.byName(ctx.db, job.project_id, job.environment ?? '') ?? store.stoppedBy(ctx.db, job)
    if (!row || row.state === 'stopped' || isStillStopping(ctx.db, job)) return
    changeEnvironment(ctx, row, STOPPED)
  })
}

/**
 * Stops environments because their time has come or what they were for is gone: in the name of the user who acts, as far as
 * they may run what it takes; where nobody does, in the name of whoever made the jobs that stop them. One that cannot be
 * stopped does not keep the others from it.
 */
export function stopAll(ctx: Ctx, rows: readonly EnvironmentRow[]): void {
  const ids = rows.map((row) => row.id)
  const actions = stopActionsOf(ctx.db, ids)
  for (const row of rows) {
    try {
      stopOne(ctx, row, actions.get(row.id) ?? [])
    } catch (error) {
      ctx.log.error({ err: error, environment_id: row.id }, 'an environment could not be stopped')
    }
  }
}

function stopOne(ctx: Ctx, row: EnvironmentRow, actions: readonly StopAction[]): void {
  if (ctx.actor.kind !== 'user') {
    stopEnvironment(inNameOf(ctx, actions.at(-1)?.user_id ?? null) ?? ctx, row)
    return
  }
  const project = projectById(ctx.db, row.project_id)
  if (project && mayRun(ctx, project, actions)) stopEnvironment(ctx, row)
}

/** What environments were for: a branch that is gone, or a merge request that is merged or closed. */
export type Purpose = { readonly ref: string } | { readonly merge_request_id: number }

/**
 * Stops the environments of a branch or merge request that is done with (spec ci 5.3), in the name of the actor; nothing
 * happens where they may not stop environments.
 */
export function stopEnvironmentsOf(ctx: Ctx, project: Project, purpose: Purpose): void {
  if (!isAble(ctx, projectScope, abilities.stop_environment, project, true)) return
  const rows =
    'ref' in purpose
      ? store.availableOfBranch(ctx.db, project.id, purpose.ref)
      : store.availableOfMergeRequest(ctx.db, project.id, purpose.merge_request_id)
  stopAll(ctx, rows)
}
