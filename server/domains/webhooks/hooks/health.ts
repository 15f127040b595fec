import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { isoTime } from '../../../lib/clock.ts'
import { HookChanged } from '../events.ts'
import { ownerIds } from './hook.ts'
import * as store from './store.ts'
import type { HookRow } from './store.ts'

/** Number of failures in a row without consequences (spec administration 3.7). */
const TOLERATED_FAILURES = 3
const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = 24 * 3_600_000

/** The counters stop at this number. */
const MAX_FAILURES = 100

/** The effect of an attempt: `postponed` for temporary problems (500, no response), `failed` for other errors. */
export type Verdict = 'ok' | 'postponed' | 'failed'

export type AlertStatus = 'executable' | 'disabled' | 'temporarily_disabled'

/** The status of a webhook: only an executable webhook gets events. */
export function alertStatus(row: Pick<HookRow, 'is_disabled' | 'disabled_until'>, now: string): AlertStatus {
  if (row.is_disabled) return 'disabled'
  return row.disabled_until !== null && row.disabled_until > now ? 'temporarily_disabled' : 'executable'
}

/** Classifies a response. Null for no response. */
export function verdictFor(status: number | null): Verdict {
  if (status === null || status === 500) return 'postponed'
  return status >= 200 && status < 400 ? 'ok' : 'failed'
}

/** The health columns of a webhook without recent failures. */
export const HEALTHY = {
  recent_failures: 0,
  backoff_count: 0,
  disabled_until: null,
  is_disabled: false,
} as const

/** Returns the changed health columns after an attempt. Undefined for no change. */
export function healthAfter(
  row: Pick<HookRow, keyof typeof HEALTHY>,
  verdict: Verdict,
  now: string,
): Partial<Pick<HookRow, keyof typeof HEALTHY>> | undefined {
  if (verdict === 'ok') {
    const isHealthy = Object.entries(HEALTHY).every(
      ([name, value]) => row[name as keyof typeof HEALTHY] === value,
    )
    return isHealthy ? undefined : HEALTHY
  }
  const recent_failures = Math.min(row.recent_failures + 1, MAX_FAILURES)
  if (recent_failures <= TOLERATED_FAILURES) return { recent_failures }
  if (verdict === 'failed') return { recent_failures, is_disabled: true }
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** row.backoff_count, LONGEST_PAUSE_MS)
  return {
    recent_failures,
    backoff_count: Math.min(row.backoff_count + 1, MAX_FAILURES),
    disabled_until: isoTime(Date.parse(now) + pause),
  }
}

/** Updates the health of a webhook after an attempt, and publishes it if the webhook is disabled or enabled. */
export function recordVerdict(ctx: Ctx, row: HookRow, verdict: Verdict): HookRow {
  const changes = healthAfter(row, verdict, ctx.now)
  if (!changes) return row
  const after = store.update(ctx.db, row.id, changes)
  if (alertStatus(row, ctx.now) !== alertStatus(after, ctx.now)) {
    publish(ctx, HookChanged, {
      ...ownerIds(row),
      hook_id: row.id,
      action: 'updated',
      actor_id: ctx.actor.id,
    })
  }
  return after
}
