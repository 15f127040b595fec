import type { Job } from '../../jobs/job.ts'
import { lookAgain } from './service-refs.ts'
import { housekeeping, updateStatistics } from './service-upkeep.ts'

export const jobs: Job[] = [lookAgain, updateStatistics, housekeeping]
