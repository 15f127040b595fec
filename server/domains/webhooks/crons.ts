import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { cron, type CronLine } from '../../jobs/job.ts'
import { addDays, isoDate } from '../../lib/clock.ts'
import { accessTokenEvent } from './payloads/access-token.ts'
import * as store from './payloads/store.ts'
import { isListened, recordAll } from './recording/service.ts'

/** The number of days before its expiry when a token gets its event. */
const DAYS_AHEAD = 7

/** Records an event for every access token of a project or group that expires within a week, once per token. */
function announceExpiringTokens(ctx: Ctx): void {
  const until = isoDate(addDays(ctx.now, DAYS_AHEAD))
  for (const token of store.expiringTokens(ctx.db, isoDate(ctx.now), until)) {
    if (!isListened(ctx.db, 'resource_access_token', token)) continue
    tx(ctx.db, () => {
      store.markAnnounced(ctx.db, token.id, ctx.now)
      recordAll(ctx, [accessTokenEvent(ctx, token)], null)
    })
  }
}

export const crons: CronLine[] = [cron('webhooks.tell_expiring_tokens', '7 1 * * *', announceExpiringTokens)]
