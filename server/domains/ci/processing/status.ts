import type { JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'

/**
 * The status of a job for the combined status of several jobs (spec ci 2.3, preparation): its own status, but `warning`
 * for an allowed failure and `ignored` for an optional manual job.
 */
export type EffectiveStatus = Exclude<JobRow['status'], 'canceling'> | 'warning' | 'ignored'

/** The status of a job for the combined status. A `canceling` job counts as running. */
export function effectiveStatus(status: JobRow['status'], allowFailure: boolean | number): EffectiveStatus {
  if (status === 'canceling') return 'running'
  if (!allowFailure) return status
  if (status === 'failed' || status === 'canceled') return 'warning'
  return status === 'manual' ? 'ignored' : status
}

const NOT_RUN: readonly EffectiveStatus[] = ['skipped', 'ignored']
const DONE: readonly EffectiveStatus[] = ['success', 'failed', 'canceled', 'skipped', 'warning']

/** Rules for all jobs: if the statuses of all jobs are in the list, the result is the combined status. */
const ALL: readonly [among: readonly EffectiveStatus[], result: PipelineRow['status']][] = [
  [NOT_RUN, 'skipped'],
  [['success', 'warning', ...NOT_RUN], 'success'],
  [['created', 'warning', 'ignored'], 'created'],
  [['preparing', 'warning', 'ignored'], 'preparing'],
  [['canceled', 'success', 'warning', ...NOT_RUN], 'canceled'],
  [['pending', 'created', 'warning', ...NOT_RUN], 'pending'],
]

/** Rules for any job: if a job has the status, the result is the combined status. */
const ANY: readonly [status: EffectiveStatus, result: PipelineRow['status']][] = [
  ['running', 'running'],
  ['pending', 'running'],
  ['waiting_for_resource', 'waiting_for_resource'],
  ['manual', 'manual'],
  ['scheduled', 'scheduled'],
  ['preparing', 'preparing'],
  ['created', 'running'],
]

/**
 * The combined status of jobs (spec ci 2.3). The first matching rule decides. Null if there are no jobs. `isDag` means
 * that one job needs all of these jobs: it waits until all have finished, and is skipped if one of them does not run.
 */
export function combinedStatus(
  statuses: ReadonlySet<EffectiveStatus>,
  isDag = false,
): PipelineRow['status'] | null {
  if (statuses.size === 0) return null
  const all = (among: readonly EffectiveStatus[]) => [...statuses].every((status) => among.includes(status))
  if (isDag) {
    if (NOT_RUN.some((status) => statuses.has(status))) return 'skipped'
    if (!all(DONE)) return 'pending'
  }
  const uniform = ALL.find(([among]) => all(among))
  if (uniform) return uniform[1]
  return ANY.find(([status]) => statuses.has(status))?.[1] ?? 'failed'
}

/** The statuses of jobs (spec ci 2.1). Pipelines have the same statuses except `canceling`. */
export type JobStatus = JobRow['status']

const OVER: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'skipped'])
const CANCELABLE: ReadonlySet<string> = new Set([
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'scheduled',
])

/** Whether a status is final (`completed` in spec ci 2.1). */
export function isFinished(status: string): boolean {
  return OVER.has(status)
}

/** Whether a job or pipeline with this status can be canceled (spec ci 2.1). */
export function isCancelableStatus(status: string): boolean {
  return CANCELABLE.has(status)
}

/** Whether a job can be retried (spec ci 2.7): it has finished, was not skipped, and is the newest of its name. */
export function isRetryable(job: Pick<JobRow, 'kind' | 'retried' | 'status'>): boolean {
  return job.kind !== 'external' && !job.retried && isFinished(job.status) && job.status !== 'skipped'
}

/** Whether a manual or delayed job can be started or retried (spec ci 2.7). */
export function isPlayable(job: Pick<JobRow, 'kind' | 'retried' | 'status' | 'when'>): boolean {
  if (job.when !== 'manual' && job.when !== 'delayed') return false
  return job.status === 'manual' || job.status === 'scheduled' || isRetryable(job)
}

/** Whether a job can be canceled. A `canceling` job can be canceled again, which ends it immediately. */
export function isCancelable(job: Pick<JobRow, 'status'>): boolean {
  return isCancelableStatus(job.status) || job.status === 'canceling'
}
