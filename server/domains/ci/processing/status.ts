import type { JobRow } from '../jobs/store.ts'

/** What a job can be (spec ci 2.1); pipelines know the same words but for `canceling`. */
export type JobStatus =
  | 'created'
  | 'waiting_for_resource'
  | 'preparing'
  | 'pending'
  | 'running'
  | 'canceling'
  | 'success'
  | 'failed'
  | 'canceled'
  | 'skipped'
  | 'manual'
  | 'scheduled'

const OVER: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'skipped'])
const CANCELABLE: ReadonlySet<string> = new Set([
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'scheduled',
])

/** True for final statuses, which change only when the job runs again (`completed` in spec ci 2.1). */
export function isOver(status: string): boolean {
  return OVER.has(status)
}

/** True for statuses that can be canceled (spec ci 2.1). */
export function isCancelableStatus(status: string): boolean {
  return CANCELABLE.has(status)
}

/** True for a job that can be run again: over, not skipped, and the newest of its name (spec ci 2.7). */
export function isRetryable(job: Pick<JobRow, 'kind' | 'retried' | 'status'>): boolean {
  return job.kind !== 'external' && !job.retried && isOver(job.status) && job.status !== 'skipped'
}

/** True for a manual or delayed job that waits, or can be run again (spec ci 2.7). */
export function isPlayable(job: Pick<JobRow, 'kind' | 'retried' | 'status' | 'when'>): boolean {
  if (job.when !== 'manual' && job.when !== 'delayed') return false
  return job.status === 'manual' || job.status === 'scheduled' || isRetryable(job)
}

/** True for a job that can be canceled; a second cancel ends a `canceling` job. */
export function isCancelable(job: Pick<JobRow, 'status'>): boolean {
  return isCancelableStatus(job.status) || job.status === 'canceling'
}
