import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import type { JobRow } from '../jobs/store.ts'
import { manualJobsTo } from './store-jobs.ts'

/** The manual jobs that promote the last deployment of one environment of a project to another one. */
export function manualJobsFor(
  ctx: Pick<Ctx, 'db'>,
  project: Pick<Project, 'id'>,
  names: { from: string; to: string },
): JobRow[] {
  return manualJobsTo(ctx.db, project.id, names)
}
