import type { Ctx } from '../../../ctx.ts'
import { addDays } from '../../../lib/clock.ts'
import type { Project } from '../../projects/index.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { cancelJobsOf } from './cancel.ts'

/** Older pipelines than this are nobody's redundant ones. */
const DAYS = 7

interface Redundant {
  readonly id: number
  /** What its configuration says of new commits: `conservative` (also without a word), `interruptible`, `none`. */
  readonly rule: string | null
  /** A job that must not be interrupted has begun. */
  readonly is_bound: number
}

/**
 * Calls off what a new pipeline makes redundant: pipelines of older commits of its ref, children too, in a project that
 * wants it (spec ci 2.5). To be called in the transaction that made the pipeline.
 */
export function cancelRedundant(ctx: Ctx, project: Project, pipeline: PipelineRow): void {
  if (project.auto_cancel_pending_pipelines !== 'enabled' || pipeline.source === 'parent_pipeline') return
  for (const { id, rule, is_bound } of redundantTo(ctx, pipeline)) {
    if (rule === 'none') continue
    if (rule === 'interruptible') cancelJobsOf(ctx, id, (job) => job.interruptible)
    else if (is_bound === 0) cancelJobsOf(ctx, id, (job) => job.kind !== 'external')
  }
}

function redundantTo(ctx: Ctx, { id, project_id, ref, sha }: PipelineRow): Redundant[] {
  return ctx.db.many<Redundant>(
    `SELECT id, json_extract(auto_cancel, '$.on_new_commit') AS rule,
       EXISTS (SELECT 1 FROM ci_jobs j INDEXED BY ci_jobs_standing
         WHERE j.pipeline_id = p.id AND j.retried = 0 AND j.status IN ('running', 'canceling', 'success', 'failed')
           AND j.kind = 'job' AND j.interruptible = 0) AS is_bound
     FROM ci_pipelines p
     WHERE project_id = ? AND ref = ? AND id < ? AND sha <> ? AND created_at > ?
       AND status IN ('created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'scheduled')
     ORDER BY id DESC`,
    project_id,
    ref,
    id,
    sha,
    addDays(ctx.now, -DAYS),
  )
}
