import type { Ctx } from '../../../ctx.ts'
import { cron, type CronLine } from '../../../jobs/job.ts'
import { addDays, isoDate } from '../../../lib/clock.ts'
import { confirmationMode } from '../../auth/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { isLastAdmin, userById } from '../../users/index.ts'
import { scheduleDeletion } from '../deletion/jobs.ts'
import { changeState } from './change.ts'
import { dormantDays } from './service.ts'
import { dormantIds, unconfirmedIds } from '../store.ts'

/** Deactivates dormant users if the settings require it. A sign-in activates them again. */
export function deactivateDormant(ctx: Ctx): void {
  if (!settingsOf(ctx).deactivate_dormant_users) return
  for (const id of dormantIds(ctx.db, isoDate(addDays(ctx.now, -dormantDays(ctx))))) {
    const user = userById(ctx.db, id)!
    if (!isLastAdmin(ctx.db, user)) changeState(ctx, user, 'deactivated')
  }
}

/** Deletes users who never confirmed their email address if the settings require it. */
export function deleteUnconfirmed(ctx: Ctx): void {
  const { delete_unconfirmed_users, unconfirmed_users_delete_after_days: days } = settingsOf(ctx)
  if (!delete_unconfirmed_users || confirmationMode(ctx) === 'off') return
  for (const id of unconfirmedIds(ctx.db, addDays(ctx.now, -days))) {
    const user = userById(ctx.db, id)!
    if (!isLastAdmin(ctx.db, user)) scheduleDeletion(ctx, user, { isHard: true })
  }
}

export const crons: CronLine[] = [
  cron('accounts.deactivate_dormant', '43 2 * * *', deactivateDormant),
  cron('accounts.delete_unconfirmed', '53 2 * * *', deleteUnconfirmed),
]
