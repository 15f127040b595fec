import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import type { JobRow } from '../jobs/store.ts'
import { mayRunOn } from '../pipelines/creation/rights.ts'

/**
 * True when the actor, who may change jobs of the project, may do so on the ref of a job: on a protected branch only who
 * may push to it or merge into it, on a protected tag only who may create it.
 */
export function mayChange(ctx: Ctx, project: Project, job: Pick<JobRow, 'ref' | 'tag'>): boolean {
  const isOfRequest = job.ref.startsWith('refs/merge-requests/')
  const kind = isOfRequest ? 'merge_request' : job.tag ? 'tag' : 'branch'
  return mayRunOn(ctx, project, { ref: job.ref, kind })
}
