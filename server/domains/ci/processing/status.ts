import type { JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'

/**
 * The contribution of a job to the status of a set of jobs: its own status, but `warning` for an allowed failure and
 * `ignored` for an optional manual job (spec ci 2.3, preparation).
 */
export type Word = Exclude<JobRow['status'], 'canceling'> | 'warning' | 'ignored'

/** The word of one job. A job that is being canceled still runs. */
export function wordOf(status: JobRow['status'], allowFailure: boolean | number): Word {
  if (status === 'canceling') return 'running'
  if (!allowFailure) return status
  if (status === 'failed' || status === 'canceled') return 'warning'
  return status === 'manual' ? 'ignored' : status
}

const QUIET: readonly Word[] = ['skipped', 'ignored']
const DONE: readonly Word[] = ['success', 'failed', 'canceled', 'skipped', 'warning']

/** Rules for uniform sets: if all status words are in the list, the set has this status. */
const ALL: readonly [among: readonly Word[], result: PipelineRow['status']][] = [
  [QUIET, 'skipped'],
  [['success', 'warning', ...QUIET], 'success'],
  [['created', 'warning', 'ignored'], 'created'],
  [['preparing', 'warning', 'ignored'], 'preparing'],
  [['canceled', 'success', 'warning', ...QUIET], 'canceled'],
  [['pending', 'created', 'warning', ...QUIET], 'pending'],
]

/** Rules for mixed sets: if one job has the status word, the set has this status. */
const ANY: readonly [word: Word, result: PipelineRow['status']][] = [
  ['running', 'running'],
  ['pending', 'running'],
  ['waiting_for_resource', 'waiting_for_resource'],
  ['manual', 'manual'],
  ['scheduled', 'scheduled'],
  ['preparing', 'preparing'],
  ['created', 'running'],
]

/**
 * The status of a set of jobs, null for none; the first matching rule decides (spec ci 2.3). The number of
 * equal words does not matter. `isDag` means that the set is what one job needs: the job waits for all of them, and is
 * skipped as soon as one of them does not run.
 */
export function composite(words: ReadonlySet<Word>, isDag = false): PipelineRow['status'] | null {
  if (words.size === 0) return null
  const all = (among: readonly Word[]) => [...words].every((word) => among.includes(word))
  if (isDag) {
    if (QUIET.some((word) => words.has(word))) return 'skipped'
    if (!all(DONE)) return 'pending'
  }
  const uniform = ALL.find(([among]) => all(among))
  if (uniform) return uniform[1]
  return ANY.find(([word]) => words.has(word))?.[1] ?? 'failed'
}

/** The statuses of jobs (spec ci 2.1); pipelines have the same except `canceling`. */
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
