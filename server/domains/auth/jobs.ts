import { cron, job, type CronLine, type Job } from '../../jobs/job.ts'
import { addDays, isoDate } from '../../lib/clock.ts'
import { settingsOf } from '../settings/index.ts'
import { tokensExpiringAfter, removeExpiredSessions, tokenById } from './store.ts'
import { removeEndedBefore, removeGrantsBefore } from './oauth/tokens/store.ts'
import { revoke } from './tokens/service.ts'

/**
 * The time in milliseconds before a shorter maximum lifetime of tokens takes effect, so that administrators can undo
 * it.
 */
export const LIFETIME_GRACE_MS = 3 * 3_600_000

/** Revokes personal access tokens of users that exceed the maximum lifetime in the settings. */
export const revokeOverlongTokens = job('auth.revoke_long_tokens', { args: {} }, (ctx) => {
  const days = settingsOf(ctx).max_personal_access_token_lifetime
  if (days === null) return
  for (const { id } of tokensExpiringAfter(ctx.db, isoDate(addDays(ctx.now, days)))) {
    const row = tokenById(ctx.db, id)
    if (row?.revoked === false) revoke(ctx, row)
  }
})

export const jobs: readonly Job[] = [revokeOverlongTokens as Job]

/** The number of days after which expired codes and tokens are deleted. Until then their reuse is detected. */
const RETENTION_DAYS = 30

export const crons: readonly CronLine[] = [
  cron('auth.remove_expired_sessions', '17 3 * * *', (ctx) => {
    removeExpiredSessions(ctx.db, ctx.now)
  }),
  cron('oauth.remove_ended', '29 3 * * *', (ctx) => {
    const cutoff = addDays(ctx.now, -RETENTION_DAYS)
    removeEndedBefore(ctx.db, cutoff)
    removeGrantsBefore(ctx.db, cutoff)
  }),
]
