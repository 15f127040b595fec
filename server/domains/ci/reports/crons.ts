import { cron, type CronLine } from '../../../jobs/job.ts'
import { forgetOld } from './failures.ts'

export const crons: CronLine[] = [cron('ci.forget_test_failures', '20 4 * * *', forgetOld)]
