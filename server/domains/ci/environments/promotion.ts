import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import type { JobRow } from '../jobs/store.ts'

/** More are not told apart; whoever asks wants exactly one. */
const MOST = 10

/**
 * The jobs that wait for somebody to bring what runs in one environment to another: of the pipeline that was deployed to
 * the first one last.
 */
export function manualJobsFor(
  ctx: Pick<Ctx, 'db'>,
  project: Pick<Project, 'id'>,
  { from, to }: { from: string; to: string },
): JobRow[] {
  return ctx.db.many<JobRow>(
    `SELECT j.* FROM ci_jobs j
     WHERE j.pipeline_id = (
         SELECT b.pipeline_id FROM environments e JOIN deployments d ON d.environment_id = e.id
         JOIN ci_jobs b ON b.id = d.job_id
         WHERE e.project_id = ? AND e.name = ? AND d.status = 'success' ORDER BY d.id DESC LIMIT 1)
       AND j.environment = ? AND j.retried = 0 AND j.status = 'manual' AND j.environment_action IS NOT 'stop'
     ORDER BY j.id LIMIT ${MOST}`,
    project.id,
    from,
    to,
  )
}
