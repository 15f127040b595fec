import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { advance, type Advance, type RunSummary } from '../../../jobs/advance.ts'
import { runnerOf } from '../../../jobs/runner.ts'
import { isoTime, type MovableClock, type ClockMode } from '../../../lib/clock.ts'
import { fail } from '../../../lib/fail.ts'
import { secondsOf } from '../../../lib/text/durations.ts'
import { ClockChanged } from '../events.ts'

/** The clock of the instance. */
export interface ClockState {
  readonly mode: ClockMode
  readonly now: string
  readonly real_now: string
}

/** A change of the clock, and the jobs that ran because of it. */
export interface ClockChange extends ClockState {
  readonly complete: boolean
  /** The requested time. */
  readonly target: string
  readonly runs: RunSummary[]
}

/** How long one request may advance the clock, in milliseconds of real time. */
const LIMIT_MS = 20_000
/** Years with more digits do not fit the formats of the API. */
const LATEST = Date.parse('9998-12-31T23:59:59Z')

/** A requested change. */
export interface RequestedChange {
  readonly action: 'freeze' | 'set' | 'advance' | 'run'
  readonly time?: string | null | undefined
  readonly by?: string | null | undefined
  readonly real?: boolean | null | undefined
}

/** The current state of the clock. */
export function stateOf(clock: MovableClock): ClockState {
  return { mode: clock.mode, now: isoTime(clock.now()), real_now: isoTime(clock.real()) }
}

/**
 * Changes the clock and publishes the change. The clock only goes forward, because rows with times in the future would
 * cause errors. It goes back in two cases: to the computer's time, and with the restore of a snapshot. Throws 400, and
 * 409 while another request changes the clock.
 */
export async function changeClock(ctx: Ctx, request: RequestedChange): Promise<ClockChange> {
  const { clock, db } = ctx
  checkParams(request)
  const lock = db.instance('workbench.clock', () => ({ isMoving: false }))
  if (lock.isMoving) throw fail('conflict', 'The clock is being moved by another request.')
  lock.isMoving = true
  try {
    const target = targetOf(clock, request)
    const { isComplete, runs } = await performChange(ctx, request, target)
    const state = stateOf(clock)
    tx(db, () =>
      publish({ ...ctx, now: state.now }, ClockChanged, {
        clock_mode: state.mode,
        now: state.now,
        actor_id: ctx.actor.id,
      }),
    )
    return { ...state, target: isoTime(target), complete: isComplete, runs }
  } finally {
    lock.isMoving = false
  }
}

async function performChange(ctx: Ctx, { action, real }: RequestedChange, target: number): Promise<Advance> {
  const { clock, db, signal } = ctx
  const runner = runnerOf(db)
  if (action === 'advance') return advance(runner, clock, { target, limitMs: LIMIT_MS, signal })
  if (action === 'freeze') clock.freeze()
  if (action === 'run' && real) clock.reset()
  else if (action === 'run') clock.run()
  else clock.moveTo(target)
  // Jobs that are due now run. After a return to the computer's time, the crons are planned again.
  runner.wakeSoon()
  return { isComplete: true, runs: [] }
}

/** Throws 400 for a missing parameter, and for one that the action does not accept. */
function checkParams({ action, time, by, real }: RequestedChange): void {
  const [hasTime, hasBy] = [time != null, by != null]
  if (action === 'set' && !hasTime) throw fail('bad_request', 'set needs a time')
  if (action === 'advance' && hasTime === hasBy)
    throw fail('bad_request', 'advance needs either a time or by')
  if (action !== 'advance' && hasBy) throw fail('bad_request', `${action} does not accept by; advance does`)
  if (action === 'run' && hasTime) throw fail('bad_request', 'run does not accept a time; set does')
  if (action !== 'run' && real != null) throw fail('bad_request', `${action} does not accept real; run does`)
}

/** The requested time; by default the current one. Throws 400. */
function targetOf(clock: MovableClock, { time, by }: Pick<RequestedChange, 'time' | 'by'>): number {
  const now = clock.now()
  const seconds = by == null ? 0 : secondsOf(by)
  if (seconds === null) throw fail('bad_request', `by is not a duration such as 90 minutes or 3d 4h: ${by}`)
  const target = time == null ? now + seconds * 1000 : Date.parse(time)
  if (target < now)
    throw fail(
      'bad_request',
      `The clock only goes forward, and it is ${isoTime(now)}. To go back, restore a snapshot; \`run\` with ` +
        '`real` returns to the time of the computer.',
    )
  if (target > LATEST) throw fail('bad_request', 'The time is out of range')
  return Math.round(target)
}
