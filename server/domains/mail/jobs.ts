import { z } from 'zod'

import { cron, type CronLine, job, type Job } from '../../jobs/job.ts'
import { isoTime } from '../../lib/clock.ts'
import { sendStored } from './service-sending.ts'
import * as store from './store.ts'

const KEEP_DAYS = 2

/** Sends a stored mail. */
export const sendMail = job(
  'mail.send',
  { args: { mail_id: z.number() }, retries: 6, lane: 'outside' },
  (ctx, { mail_id }) => sendStored(ctx, mail_id),
)

export const jobs: Job[] = [sendMail as Job]

/** Mails are personal data, so they are deleted after a few days. */
const removeOld = cron('mail.remove_old', '35 3 * * *', (ctx) =>
  store.removeOlder(ctx.db, isoTime(Date.parse(ctx.now) - KEEP_DAYS * 86_400_000)),
)

export const crons: CronLine[] = [removeOld]
