import type { Ctx } from '../../../ctx.ts'
import { cron, type CronLine } from '../../../jobs/job.ts'
import { addDays, isoDate } from '../../../lib/clock.ts'
import { settingsOf } from '../../settings/index.ts'
import { isLastAdmin, userById } from '../../users/index.ts'
import { changeState } from './change.ts'
import { dormantDays } from './service.ts'
import { dormantIds } from './store.ts'

/** Puts to sleep whoever was not active for long, where the settings ask for it; signing in wakes them. */
export function deactivateDormant(ctx: Ctx): void {
  if (!settingsOf(ctx).deactivate_dormant_users) return
  for (const id of dormantIds(ctx.db, isoDate(addDays(ctx.now, -dormantDays(ctx))))) {
    const user = userById(ctx.db, id)!
    if (!isLastAdmin(ctx.db, user)) changeState(ctx, user, 'deactivated')
  }
}

export const crons: CronLine[] = [cron('accounts.deactivate_dormant', '43 2 * * *', deactivateDormant)]
