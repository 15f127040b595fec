import type { JobRow } from '../jobs/store.ts'
import { isCancelableStatus, isOver } from './statuses.ts'

/** True for a job that can be run again: over, not left out, and the newest of its name (spec ci 2.7). */
export function isRetryable(job: Pick<JobRow, 'kind' | 'retried' | 'status'>): boolean {
  return job.kind !== 'external' && !job.retried && isOver(job.status) && job.status !== 'skipped'
}

/** True for a job that somebody can start: it waits for that, for its time, or can be run again (spec ci 2.7). */
export function isPlayable(job: Pick<JobRow, 'kind' | 'retried' | 'status' | 'when'>): boolean {
  if (job.when !== 'manual' && job.when !== 'delayed') return false
  return job.status === 'manual' || job.status === 'scheduled' || isRetryable(job)
}

/** True for a job that can be called off; one that is being called off can be so for good. */
export function isCancelable(job: Pick<JobRow, 'status'>): boolean {
  return isCancelableStatus(job.status) || job.status === 'canceling'
}
