import type { Job } from '../../jobs/job.ts'
import { settleMove } from './settling.ts'
import { updateSize } from './size.ts'

export const jobs: Job[] = [settleMove, updateSize]
