import type { Job } from '../../jobs/job.ts'
import { lookAgain } from './journal.ts'
import { housekeeping } from './housekeeping.ts'
import { updateStatistics } from './statistics.ts'

export const jobs: Job[] = [lookAgain, updateStatistics, housekeeping]
