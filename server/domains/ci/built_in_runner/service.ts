import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail } from '../../../lib/fail.ts'
import { makeRunner, resetRunnerToken, updateRunner } from '../runners/service.ts'
import { runnerSettings, setRunnerSettings } from '../runners/store.ts'
import { builtIn } from '../runners/store.ts'
import { applyBuiltIn, isWorking } from './control.ts'
import { findShell } from './machine.ts'
import { countJobsUnderWay } from './store.ts'
import { builtInToken, sealToken } from './control.ts'

/** The built-in runner as its page shows it. */
export interface BuiltInState {
  readonly enabled: boolean
  /** Jobs at once. */
  readonly concurrency: number
  /** It asks for jobs just now. */
  readonly working: boolean
  /** Null before it was switched on for the first time. */
  readonly runner_id: number | null
  readonly running_jobs: number
  /** The program that runs the commands of jobs; null where this system has none. */
  readonly shell: string | null
}

/** How the built-in runner stands. */
export function builtInState(ctx: Ctx): BuiltInState {
  const settings = runnerSettings(ctx.db)
  const row = builtIn(ctx.db)
  return {
    enabled: settings?.built_in_enabled === true,
    concurrency: settings?.built_in_concurrency ?? 1,
    working: isWorking(ctx),
    runner_id: row?.id ?? null,
    running_jobs: row ? countJobsUnderWay(ctx.db, row.id) : 0,
    shell: findShell() ?? null,
  }
}

/** Switches the built-in runner on or off, and says how many jobs it runs at once. Jobs under way end when it goes off. */
export async function changeBuiltIn(
  ctx: Ctx,
  {
    enabled,
    concurrency,
  }: { readonly enabled?: boolean | undefined; readonly concurrency?: number | undefined },
): Promise<BuiltInState> {
  if (enabled && findShell() === undefined)
    throw fail('unprocessable', 'This system has no shell that jobs can be run with')
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

/** The runner's row, and a token that it has. */
function ensureRunner(ctx: Ctx): void {
  if (builtInToken(ctx) !== undefined) return
  const row = builtIn(ctx.db)
  const { token } = row
    ? resetRunnerToken(ctx, row)
    : makeRunner(ctx, {
        scope: { runner_type: 'instance_type' },
        origin: 'made',
        fields: { description: 'Built-in runner' },
        built_in: true,
      })
  setRunnerSettings(ctx, { built_in_token: sealToken(ctx, token) })
}
