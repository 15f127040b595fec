import { cron, type CronLine, type Job } from '../../../jobs/job.ts'
import { runSchedule, startDue } from './running.ts'

export const jobs: Job[] = [runSchedule as Job]

export const crons: CronLine[] = [cron('ci.start_schedules', '* * * * *', startDue)]
