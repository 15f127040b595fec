import type { Ctx } from '../../../ctx.ts'
import type { JobRow } from '../jobs/store.ts'

/**
 * True for a job that would bring an environment back to something older than what was brought there last, in a project
 * that does not want that (`ci_forward_deployment_enabled`; spec ci 2.4).
 */
export function isOutdated(ctx: Ctx, job: JobRow): boolean {
  if (job.environment === null || job.environment_action !== 'start') return false
  const newer = ctx.db.one(
    `SELECT 1 FROM deployments mine
       JOIN projects p ON p.id = mine.project_id AND p.ci_forward_deployment_enabled = 1
       JOIN deployments theirs ON theirs.environment_id = mine.environment_id AND theirs.status = 'success'
         AND theirs.id > mine.id
     WHERE mine.job_id = ? LIMIT 1`,
    job.id,
  )
  return newer !== undefined
}
