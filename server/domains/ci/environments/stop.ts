import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { onBehalfOf } from '../../planning/index.ts'
import { projectById, project as projectScope, type Project } from '../../projects/index.ts'
import type { JobRow } from '../jobs/store.ts'
import { isPlayable } from '../processing/status.ts'
import { playJob } from '../processing/rerun.ts'
import { abilities, mayChange } from '../policy.ts'
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

/** The columns of an environment that change when it stops. A stopped environment has no stop time. */
const STOPPED = { state: 'stopped', auto_stop_at: null } as const

/**
 * Stops an environment as the actor (spec ci 5.3): starts its stop jobs, or stops it immediately if it has none or with
 * `force`. A stopped environment stays unchanged. The caller checks the permission.
 */
export function stopEnvironment(ctx: Ctx, row: EnvironmentRow, { force = false } = {}): EnvironmentRow {
  return tx(ctx.db, () => {
    const current = store.byId(ctx.db, row.project_id, row.id)
    if (!current || current.state === 'stopped') return current ?? row
    if (force) return changeEnvironment(ctx, current, STOPPED)
    if (current.state === 'stopping') return current
    const actions = (stopActionsOf(ctx.db, [row.id]).get(row.id) ?? []).filter(isPlayableOrActive)
    if (actions.length === 0) return changeEnvironment(ctx, current, STOPPED)
    const stopping = changeEnvironment(ctx, current, { state: 'stopping' })
    for (const action of actions) play(ctx, action)
    return stopping
  })
}

/**
 * Stops an environment at the request of an actor who may stop environments. Throws 403 if the actor may not run one of
 * its stop jobs.
 */
export function stopOnRequest(
  ctx: Ctx,
  project: Project,
  row: EnvironmentRow,
  { force }: { readonly force: boolean },
): EnvironmentRow {
  const actions = force ? [] : (stopActionsOf(ctx.db, [row.id]).get(row.id) ?? [])
  if (!mayRun(ctx, project, actions)) throw fail('forbidden')
  return stopEnvironment(ctx, row, { force })
}

/** Whether the actor may run all of these jobs. Jobs on protected branches require a higher role. */
export function mayRun(ctx: Ctx, project: Project, actions: readonly StopAction[]): boolean {
  return actions.every((action) => mayChange(ctx, project, action))
}

const ACTIVE = new Set(['waiting_for_resource', 'preparing', 'pending', 'running'])

/** Whether the job can be started, waits or is running. */
function isPlayableOrActive(action: StopAction): boolean {
  return isPlayable(action) || ACTIVE.has(action.status)
}

function play(ctx: Ctx, action: StopAction): void {
  if (isPlayable(action)) playJob(ctx, action)
}

/** Removes the stop time of an environment. */
export function cancelAutoStop(ctx: Ctx, row: EnvironmentRow): EnvironmentRow {
  return tx(ctx.db, () => changeEnvironment(ctx, row, { auto_stop_at: null }))
}

/** Marks an environment as stopped after its stop job succeeded, unless other stop jobs are unfinished (spec ci 5.3). */
export function finishStop(ctx: Ctx, job: JobRow): void {
  tx(ctx.db, () => {
    const row = store.byName(ctx.db, job.project_id, job.environment ?? '') ?? store.stoppedBy(ctx.db, job)
    if (!row || row.state === 'stopped' || isStillStopping(ctx.db, job)) return
    changeEnvironment(ctx, row, STOPPED)
  })
}

/**
 * Stops environments after their stop time has passed, or after their branch or merge request has ended. If the actor is a user, an
 * environment is stopped only if this user may run its stop jobs. Otherwise it is stopped as the user of its last stop
 * job. An environment that cannot be stopped does not affect the others.
 */
export function stopAll(ctx: Ctx, rows: readonly EnvironmentRow[]): void {
  const ids = rows.map((row) => row.id)
  const actions = stopActionsOf(ctx.db, ids)
  for (const row of rows) {
    try {
      stopAsPermitted(ctx, row, actions.get(row.id) ?? [])
    } catch (error) {
      ctx.log.error({ err: error, environment_id: row.id }, 'an environment could not be stopped')
    }
  }
}

function stopAsPermitted(ctx: Ctx, row: EnvironmentRow, actions: readonly StopAction[]): void {
  if (ctx.actor.kind !== 'user') {
    stopEnvironment(onBehalfOf(ctx, actions.at(-1)?.user_id ?? null) ?? ctx, row)
    return
  }
  const project = projectById(ctx.db, row.project_id)
  if (project && mayRun(ctx, project, actions)) stopEnvironment(ctx, row)
}

/** The reason for stopping environments: a deleted branch, or a merged or closed merge request. */
export type StopCause = { readonly ref: string } | { readonly merge_request_id: number }

/**
 * Stops the environments of a deleted branch, or of a merged or closed merge request, as the actor (spec ci 5.3). Does
 * nothing if the actor may not stop environments.
 */
export function stopEnvironmentsOf(ctx: Ctx, project: Project, cause: StopCause): void {
  if (!hasAbility(ctx, projectScope, abilities.stop_environment, project, true)) return
  const rows =
    'ref' in cause
      ? store.availableOfBranch(ctx.db, project.id, cause.ref)
      : store.availableOfMergeRequest(ctx.db, project.id, cause.merge_request_id)
  stopAll(ctx, rows)
}
