import { z } from 'zod'

import { cron, type CronLine, job, type Job } from '../../jobs/job.ts'
import { isoTime } from '../../lib/clock.ts'
import { sendQueuedMail } from './service-sending.ts'
import * as store from './store.ts'

const RETENTION_DAYS = 2

/** Sends a queued email. */
export const sendMail = job(
  'mail.send',
  { args: { mail_id: z.number() }, retries: 6, lane: 'outside' },
  (ctx, { mail_id }) => sendQueuedMail(ctx, mail_id),
)

export const jobs: Job[] = [sendMail as Job]

/** Deletes emails after a few days, because they are personal data. */
const removeOldMails = cron('mail.remove_old', '35 3 * * *', (ctx) =>
  store.removeOlder(ctx.db, isoTime(Date.parse(ctx.now) - RETENTION_DAYS * 86_400_000)),
)

export const crons: CronLine[] = [removeOldMails]
