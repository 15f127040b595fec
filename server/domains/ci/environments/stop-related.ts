import type { Ctx } from '../../../ctx.ts'
import { isAble } from '../../../policy/ability.ts'
import { project as projectScope, type Project } from '../../projects/index.ts'
import { abilities } from './policy.ts'
import { stopAll } from './stop.ts'
import type { EnvironmentRow } from './store.ts'

/** What environments were for: a branch that is gone, or a merge request that is merged or closed. */
export type Purpose = { readonly ref: string } | { readonly merge_request_id: number }

/** Environments of a branch: those to which it, and not something else, was brought last. */
const OF_BRANCH = `SELECT e.* FROM environments e JOIN deployments d ON d.id =
    (SELECT max(id) FROM deployments WHERE environment_id = e.id AND status = 'success')
  WHERE e.project_id = ? AND e.state = 'available' AND d.tag = 0 AND d.ref = ?`

/**
 * Environments of a merge request: what its pipelines brought there is there, or nothing ever was and nobody else has
 * wanted to.
 */
const OF_MERGE_REQUEST = `SELECT e.* FROM environments e JOIN deployments d ON d.id = ifnull(
    (SELECT max(id) FROM deployments WHERE environment_id = e.id AND status = 'success'),
    (SELECT max(id) FROM deployments WHERE environment_id = e.id))
  JOIN ci_jobs j ON j.id = d.job_id JOIN ci_pipelines p ON p.id = j.pipeline_id
  WHERE e.project_id = ? AND e.state = 'available' AND p.merge_request_id = ?
    AND (d.status = 'success' OR NOT EXISTS (
      SELECT 1 FROM deployments other JOIN ci_jobs oj ON oj.id = other.job_id
        JOIN ci_pipelines op ON op.id = oj.pipeline_id
      WHERE other.environment_id = e.id AND op.merge_request_id IS NOT p.merge_request_id))`

/**
 * Stops the environments of a branch or merge request that is done with (spec ci 5.3), in the name of the actor; nothing
 * happens where they may not stop environments.
 */
export function stopEnvironmentsOf(ctx: Ctx, project: Project, purpose: Purpose): void {
  if (!isAble(ctx, projectScope, abilities.stop_environment, project, true)) return
  const rows =
    'ref' in purpose
      ? ctx.db.many<EnvironmentRow>(OF_BRANCH, project.id, purpose.ref)
      : ctx.db.many<EnvironmentRow>(OF_MERGE_REQUEST, project.id, purpose.merge_request_id)
  stopAll(ctx, rows)
}
