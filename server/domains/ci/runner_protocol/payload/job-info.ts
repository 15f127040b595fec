import type { Project } from '../../../projects/index.ts'
import type { JobRow } from '../../jobs/store.ts'

/** What the runner writes into the head of the log, and its own statistics. */
export interface JobInfo {
  readonly id: number
  readonly name: string
  readonly stage: string
  readonly project_id: number
  readonly project_name: string
  readonly project_full_path: string
  readonly pipeline_id: number
  readonly namespace_id: number
  readonly user_id: number
  readonly time_in_queue_seconds: number
  /** A text in the protocol. */
  readonly project_jobs_running_on_instance_runners_count: string
}

/** Runners of the instance are told how busy the project keeps them, up to this many. */
const MOST_COUNTED = 1000

/** `job_info`; `running` are the project's jobs on runners of the instance, null for other runners (spec ci 1.7). */
export function jobInfoOf(
  job: JobRow,
  project: Project,
  more: { readonly path: string; readonly running: number | null },
): JobInfo {
  const waited = job.queued_at === null ? 0 : Date.parse(job.started_at!) - Date.parse(job.queued_at)
  return {
    id: job.id,
    name: job.name,
    stage: job.stage,
    project_id: project.id,
    project_name: project.name,
    project_full_path: more.path,
    pipeline_id: job.pipeline_id,
    namespace_id: project.namespace_id,
    user_id: job.user_id ?? 0,
    time_in_queue_seconds: Math.max(waited, 0) / 1000,
    project_jobs_running_on_instance_runners_count: countOf(more.running),
  }
}

function countOf(running: number | null): string {
  if (running === null) return '+Inf'
  return running < MOST_COUNTED ? String(running) : `${MOST_COUNTED}+`
}
