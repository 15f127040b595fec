import type { Ctx } from '../../../../ctx.ts'
import type { Project } from '../../../projects/index.ts'
import { planLimits } from '../../../settings/index.ts'

/** A limit of the plan that a pipeline would go beyond. */
export interface Excess {
  readonly failure_reason: 'size_limit_exceeded' | 'job_activity_limit_exceeded'
  readonly text: string
}

const DAY_MS = 86_400_000

/** What the plan of the instance has against a pipeline of so many jobs (spec administration 13); undefined for nothing. */
export function excessOf(ctx: Ctx, project: Project, jobs: number): Excess | undefined {
  const { ci_pipeline_size: size, ci_active_jobs: active } = planLimits(ctx.db)
  if (size > 0 && jobs > size) {
    const text = `Pipeline has too many jobs! Requested ${jobs}, but the limit is ${size}.`
    return { failure_reason: 'size_limit_exceeded', text }
  }
  const alive = active > 0 ? aliveJobs(ctx, project) : 0
  // The new pipeline may be the one that goes beyond it; the next is not made.
  if (active === 0 || alive <= active) return undefined
  const text = `Project has too many active jobs created in the last 24 hours! There are ${alive} active jobs, but the limit is ${active}.`
  return { failure_reason: 'job_activity_limit_exceeded', text }
}

/** Jobs of the last day that wait, are prepared or run. */
function aliveJobs({ db, now }: Ctx, { id }: Project): number {
  const since = new Date(Date.parse(now) - DAY_MS).toISOString()
  return db.one<{ n: number }>(
    `SELECT count(*) AS n FROM ci_jobs WHERE project_id = ? AND created_at > ?
       AND status IN ('created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'scheduled')`,
    id,
    since,
  )!.n
}
