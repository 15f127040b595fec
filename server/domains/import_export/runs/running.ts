import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'

/** Why the work of an import ends before it is done. */
export class ImportInterrupted extends Error {
  /** `canceled`: somebody took it back. `stopping`: the instance stops, and the job comes back at the next start. */
  readonly reason: 'canceled' | 'stopping'

  constructor(reason: 'canceled' | 'stopping') {
    super(reason === 'canceled' ? 'The import was canceled.' : 'The instance is stopping.')
    this.name = 'ImportInterrupted'
    this.reason = reason
  }
}

/** What the instance knows of an import that is under way. */
export interface RunningImport {
  readonly controller: AbortController
  /** Time of its beginning, ms, on the instance's clock and on that of the process. */
  readonly began: number
  readonly mark: number
  /** When progress was last written, on the clock of the process. */
  written: number
  /** Progress that waits to be written. */
  timer: NodeJS.Timeout | undefined
}

interface RunningImports {
  readonly byProject: Map<number, RunningImport>
  isStopping: boolean
}

/** The work that is under way, so that it can be ended. */
function runningImports({ db }: Pick<Ctx, 'db'>): RunningImports {
  return db.instance('imports.running', () => ({
    byProject: new Map<number, RunningImport>(),
    isStopping: false,
  }))
}

/** What is known of the import of a project, from now on if it is the first that is asked of it. */
export function runningImport(ctx: Pick<Ctx, 'db' | 'now'>, projectId: number): RunningImport {
  const running = runningImports(ctx)
  const known = running.byProject.get(projectId)
  if (known) return known
  const made: RunningImport = {
    controller: new AbortController(),
    began: Date.parse(ctx.now),
    mark: performance.now(),
    written: -Infinity,
    timer: undefined,
  }
  if (running.isStopping) made.controller.abort(new ImportInterrupted('stopping'))
  running.byProject.set(projectId, made)
  return made
}

/** The time as it is now: the context of a job keeps that of its beginning, and imports take long. */
export function currentTime(ctx: Pick<Ctx, 'db' | 'now'>, projectId: number): string {
  const running = runningImports(ctx).byProject.get(projectId)
  if (!running) return ctx.now
  const passed = isoTime(running.began + Math.trunc(performance.now() - running.mark))
  return passed > ctx.now ? passed : ctx.now
}

/** Forgets an import that has ended; where it was interrupted, whoever works on it hears of it. */
export function endLife(ctx: Pick<Ctx, 'db'>, projectId: number, interrupted?: 'canceled'): void {
  const { byProject } = runningImports(ctx)
  const running = byProject.get(projectId)
  if (!running) return
  clearTimeout(running.timer)
  byProject.delete(projectId)
  if (interrupted) running.controller.abort(new ImportInterrupted(interrupted))
}

/** True once the instance is stopping: what went wrong since then says nothing about an import. */
export function isStopping(ctx: Pick<Ctx, 'db'>): boolean {
  return runningImports(ctx).isStopping
}

/** Ends the work on all imports. To be called when the instance stops; their jobs come back at the next start. */
export function stopImports(ctx: Pick<Ctx, 'db'>): void {
  const imports = runningImports(ctx)
  imports.isStopping = true
  for (const running of imports.byProject.values()) {
    clearTimeout(running.timer)
    running.controller.abort(new ImportInterrupted('stopping'))
  }
}
