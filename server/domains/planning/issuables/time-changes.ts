import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import type { ColumnChanges } from '../../../lib/column-changes.ts'
import { isoDate } from '../../../lib/clock.ts'
import { invalid } from '../../../lib/fail.ts'
import { eventOf, touch } from './changes.ts'
import { TimeChanged } from './events.ts'
import { tablesOf, type Issuable } from './issuable.ts'
import { noteChange } from './text-changes.ts'
import { settingsOf } from '../../settings/index.ts'
import { humanTime } from './time.ts'
import { timesOf, log, type Times, type SpentTime } from './store.ts'

/** Formats seconds as the settings of the instance require. */
export function timeWords(ctx: Ctx, seconds: number): string {
  return humanTime(seconds, settingsOf(ctx).time_tracking_limit_to_hours)
}

/** Sets the time estimate; 0 removes it. Throws 400 for a negative one. */
export function setEstimate(ctx: Ctx, issuable: Issuable, seconds: number | undefined): Times {
  if (seconds === undefined || seconds < 0)
    throw invalid({ time_estimate: 'must have a valid format and be greater than or equal to zero.' })
  if (timesOf(ctx, issuable).time_estimate === seconds) return timesOf(ctx, issuable)
  const body = seconds === 0 ? 'removed time estimate' : `changed time estimate to ${timeWords(ctx, seconds)}`
  return change(ctx, issuable, 'time_estimate', seconds, body)
}

/** Adds spent time. Throws 400 for zero, and for subtracting more than was spent. */
export function addSpentTime(ctx: Ctx, issuable: Issuable, given: SpentTime): Times {
  const { seconds, summary = null, spent_at = ctx.now } = given
  const total = timesOf(ctx, issuable).total_time_spent + seconds
  if (seconds === 0) throw invalid({ time_spent: "can't be zero" })
  if (total < 0) throw invalid({ base: 'Time to subtract exceeds the total time spent' })
  if (spent_at > ctx.now) throw invalid({ spent_at: "can't be a future date and time." })
  const words = seconds > 0 ? `added ${timeWords(ctx, seconds)}` : `subtracted ${timeWords(ctx, -seconds)}`
  const day = isoDate(spent_at) === isoDate(ctx.now) ? '' : ` at ${isoDate(spent_at)}`
  return tx(ctx.db, () => {
    log(ctx, issuable, { seconds, summary, spent_at })
    return change(ctx, issuable, 'total_time_spent', total, `${words} of time spent${day}`)
  })
}

/** Removes all spent time. */
export function resetSpentTime(ctx: Ctx, issuable: Issuable): Times {
  const times = timesOf(ctx, issuable)
  if (times.total_time_spent === 0) return times
  return tx(ctx.db, () => {
    log(ctx, issuable, { seconds: -times.total_time_spent, summary: null, spent_at: ctx.now })
    return change(ctx, issuable, 'total_time_spent', 0, 'removed time spent')
  })
}

function change(ctx: Ctx, issuable: Issuable, column: keyof Times, seconds: number, body: string): Times {
  return tx(ctx.db, () => {
    const { table } = tablesOf(issuable.kind)
    const { [column]: before } = timesOf(ctx, issuable)
    ctx.db.exec(`UPDATE ${table} SET ${column} = ? WHERE id = ?`, seconds, issuable.id)
    const changes: ColumnChanges = { [column]: [before, seconds], ...touch(ctx, issuable) }
    noteChange(ctx, issuable, 'time_tracking', body)
    const times = timesOf(ctx, issuable)
    publish(ctx, TimeChanged, { ...eventOf(ctx, issuable), ...times, changes })
    return times
  })
}
