import type { Ctx } from '../../../ctx.ts'
import type { RemoteMirrorRow } from './store.ts'

const MINUTE_MS = 60_000

/** How long after the start of one update the next may start (spec administration 5.2, Spacing). */
export function spacingOf(row: RemoteMirrorRow): number {
  return (row.only_protected_branches === 1 ? 1 : 5) * MINUTE_MS
}

/** How long a mirror has to wait. One whose address or credentials have just changed has nothing to wait for. */
export function waitOf({ now }: Pick<Ctx, 'now'>, row: RemoteMirrorRow): number {
  const { last_update_started_at: begun, update_status } = row
  const isAnew = update_status === 'finished' && row.last_update_at === null
  if (begun === null || isAnew) return 0
  return Math.max(0, Date.parse(begun) + spacingOf(row) - Date.parse(now))
}
