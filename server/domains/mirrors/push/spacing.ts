import type { Ctx } from '../../../ctx.ts'
import type { RemoteMirrorRow } from './store.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

/** Between the starts of two updates that follow changes of refs: what comes in between goes with the second. */
const AFTER_CHANGE_MS = 5 * SECOND_MS

/** How long after a failed update the next attempt starts (spec administration 5.2, Spacing). */
export function retryAfter(row: RemoteMirrorRow): number {
  return (row.only_protected_branches === 1 ? 1 : 5) * MINUTE_MS
}

/** How long a change of a ref waits for its update; one whose address or credentials are new does not wait. */
export function waitOf({ now }: Pick<Ctx, 'now'>, row: RemoteMirrorRow): number {
  const { last_update_started_at: begun, update_status } = row
  const isAnew = update_status === 'finished' && row.last_update_at === null
  if (begun === null || isAnew) return 0
  return Math.max(0, Date.parse(begun) + AFTER_CHANGE_MS - Date.parse(now))
}
