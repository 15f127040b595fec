import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import { hasAllDependencies } from '../artifacts/dependencies.ts'
import { optionsOf } from '../jobs/options.ts'
import type { JobDetailsRow, JobRow } from '../jobs/store.ts'
import { hasFeatures, neededFeatures, type RunnerFeatures } from './features.ts'

/** A waiting job with what is checked before a runner gets it. */
export interface Candidate {
  readonly job: JobRow
  readonly project: Project
  readonly details: JobDetailsRow
}

/** Why a job that a runner could take cannot run at all, as a failure reason; null where it can (spec ci 1.6). */
export function refusalOf(ctx: Ctx, candidate: Candidate, features: RunnerFeatures): string | null {
  const { job, project, details } = candidate
  if (project.marked_for_deletion_at !== null) return 'project_deleted'
  if (project.builds_access_level === 'disabled') return 'builds_disabled'
  const user = job.user_id === null ? undefined : userById(ctx.db, job.user_id)
  if (user?.state !== 'active') return 'user_blocked'
  if (!hasAllDependencies(ctx, job)) return 'missing_dependency_failure'
  return hasFeatures(features, neededFeatures(job, optionsOf(details))) ? null : 'runner_unsupported'
}
