import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail } from '../../../lib/fail.ts'
import { createRunner, resetRunnerToken, updateRunner } from '../runners/service.ts'
import { runnerSettings, setRunnerSettings, countRunningJobs } from '../runners/store.ts'
import { builtIn } from '../runners/store.ts'
import { applyBuiltIn, isWorking } from './control.ts'
import { findShell } from './machine.ts'
import { builtInToken, sealToken } from './control.ts'

/** The state of the built-in runner. */
export interface BuiltInState {
  readonly enabled: boolean
  /** The maximum number of concurrent jobs. */
  readonly concurrency: number
  /** Whether the runner is requesting jobs. */
  readonly working: boolean
  /** Null before the runner was enabled for the first time. */
  readonly runner_id: number | null
  readonly running_jobs: number
  /** The shell for the commands of jobs. Null if this system has none. */
  readonly shell: string | null
}

/** Returns the state of the built-in runner. */
export function builtInState(ctx: Ctx): BuiltInState {
  const settings = runnerSettings(ctx.db)
  const row = builtIn(ctx.db)
  return {
    enabled: settings?.built_in_enabled === true,
    concurrency: settings?.built_in_concurrency ?? 1,
    working: isWorking(ctx),
    runner_id: row?.id ?? null,
    running_jobs: row ? countRunningJobs(ctx.db, row.id) : 0,
    shell: findShell() ?? null,
  }
}

/**
 * Enables or disables the built-in runner and sets its number of concurrent jobs. Disabling it ends its running jobs.
 */
export async function changeBuiltIn(
  ctx: Ctx,
  {
    enabled,
    concurrency,
  }: { readonly enabled?: boolean | undefined; readonly concurrency?: number | undefined },
): Promise<BuiltInState> {
  if (enabled && findShell() === undefined)
    throw fail('unprocessable', 'This system has no shell that can run jobs')
  tx(ctx.db, () => {
    if (concurrency !== undefined) setRunnerSettings(ctx, { built_in_concurrency: concurrency })
    if (enabled === undefined) return
    setRunnerSettings(ctx, { built_in_enabled: enabled })
    if (enabled) ensureRunner(ctx)
    const row = builtIn(ctx.db)
    if (row && !row.paused !== enabled) updateRunner(ctx, row.id, { paused: !enabled })
  })
  await applyBuiltIn(ctx)
  return builtInState(ctx)
}

/** Whether the built-in runner is paused. Undefined while it is disabled. */
function isPaused(ctx: Ctx): boolean | undefined {
  return runnerSettings(ctx.db)?.built_in_enabled === true ? builtIn(ctx.db)?.paused : undefined
}

/** Pauses or resumes the built-in runner. A paused runner takes no new jobs; running jobs continue. */
function setPaused(ctx: Ctx, paused: boolean): void {
  const row = builtIn(ctx.db)
  if (row && row.paused !== paused) updateRunner(ctx, row.id, { paused })
}

export const builtInRunner = { isPaused, setPaused }

/** Creates the runner, or a new token for it, unless it exists with a valid token. */
function ensureRunner(ctx: Ctx): void {
  if (builtInToken(ctx) !== undefined) return
  const row = builtIn(ctx.db)
  const { token } = row
    ? resetRunnerToken(ctx, row)
    : createRunner(ctx, {
        scope: { runner_type: 'instance_type' },
        origin: 'created',
        fields: { description: 'Built-in runner' },
        built_in: true,
      })
  setRunnerSettings(ctx, { built_in_token: sealToken(ctx, token) })
}
