import { isoTime } from '../../../lib/clock.ts'
import type { RunnerRow } from './store.ts'

const HOUR = 3_600_000

/** A runner is online if it has sent a request within this time. */
const ONLINE_MS = 2 * HOUR

/** The statuses of a runner (spec ci 3.2). */
export type RunnerStatus = 'online' | 'offline' | 'stale' | 'never_contacted' | 'paused'

/** The time of the oldest last request with which a runner is still online. */
export function onlineSince(now: string): string {
  return isoTime(Date.parse(now) - ONLINE_MS)
}

/** The time three months ago. A runner that was created before it and has sent no request since then is stale. */
export function staleSince(now: string): string {
  const date = new Date(now)
  date.setUTCMonth(date.getUTCMonth() - 3)
  return date.toISOString()
}

/** Whether a runner is online. Null if it has never sent a request. */
export function isOnline(row: Pick<RunnerRow, 'contacted_at'>, now: string): boolean | null {
  return row.contacted_at === null ? null : row.contacted_at > onlineSince(now)
}

/** The status of a runner at a time, which may be `paused` (spec ci 3.2). */
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
