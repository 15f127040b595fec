import type { Ctx } from '../../ctx.ts'
import { type Database, tx } from '../../db/database.ts'
import { cron, type CronLine } from '../../jobs/job.ts'
import { addDays, isoDate } from '../../lib/clock.ts'
import { accessTokenEvent, type ExpiringToken } from './payloads/access-token.ts'
import { isListened } from './recording/record.ts'
import { tell } from './tell.ts'

/** Days before its end on which a token is told of. */
const AHEAD = 7

/** Tokens of bots that end soon and were not told of yet. */
function expiring(db: Database, today: string, until: string): ExpiringToken[] {
  return db.many<ExpiringToken>(
    `SELECT t.id, t.name, t.user_id, t.created_at, t.expires_at, u.bot_project_id AS project_id,
       u.bot_namespace_id AS group_id
     FROM users u JOIN personal_access_tokens t ON t.user_id = u.id
     WHERE u.kind = 'project_bot' AND t.revoked = 0 AND t.expires_at > ? AND t.expires_at <= ?
       AND NOT EXISTS (SELECT 1 FROM hook_told_tokens h WHERE h.token_id = t.id)
     ORDER BY t.id LIMIT 1000`,
    today,
    until,
  )
}

/** Tells once of every token of a project or group that ends within a week, where somebody listens. */
export function tellExpiring(ctx: Ctx): void {
  const until = isoDate(addDays(ctx.now, AHEAD))
  for (const token of expiring(ctx.db, isoDate(ctx.now), until)) {
    if (!isListened(ctx.db, 'resource_access_token', token)) continue
    tx(ctx.db, () => {
      ctx.db.exec('INSERT INTO hook_told_tokens (token_id, told_at) VALUES (?, ?)', token.id, ctx.now)
      tell(ctx, [accessTokenEvent(ctx, token)], null)
    })
  }
}

export const crons: CronLine[] = [cron('webhooks.tell_expiring_tokens', '7 1 * * *', tellExpiring)]
