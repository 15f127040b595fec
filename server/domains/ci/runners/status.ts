import { isoTime } from '../../../lib/clock.ts'
import type { RunnerRow } from './store.ts'

const HOUR = 3_600_000

/** Runners that called within two hours are online. */
const ONLINE_MS = 2 * HOUR

/** Statuses of a runner (spec ci 3.2). */
export type RunnerStatus = 'online' | 'offline' | 'stale' | 'never_contacted' | 'paused'

/** A runner is offline if its last request is older than this. */
export function onlineSince(now: string): string {
  return isoTime(Date.parse(now) - ONLINE_MS)
}

/** A runner without a call for three months since its creation is stale. */
export function staleSince(now: string): string {
  const then = new Date(now)
  then.setUTCMonth(then.getUTCMonth() - 3)
  return then.toISOString()
}

/** True if a runner called within two hours. Null if it never called. */
export function isOnline(row: Pick<RunnerRow, 'contacted_at'>, now: string): boolean | null {
  return row.contacted_at === null ? null : row.contacted_at > onlineSince(now)
}

/** The status of a runner at a time, in the form with `paused` (spec ci 3.2). */
export function statusOf(
  row: Pick<RunnerRow, 'contacted_at' | 'created_at' | 'paused'>,
  now: string,
): RunnerStatus {
  const lastSeen = row.contacted_at ?? ''
  if ((lastSeen > row.created_at ? lastSeen : row.created_at) < staleSince(now)) return 'stale'
  if (row.contacted_at === null) return 'never_contacted'
  if (row.paused) return 'paused'
  return isOnline(row, now) ? 'online' : 'offline'
}
