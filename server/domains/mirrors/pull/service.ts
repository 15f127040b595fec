import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import type { PullingProject } from './entity.ts'
import { requestPull } from './jobs.ts'
import { find } from './store.ts'

/** How following goes. Throws 400 for a project that follows nothing. */
export function pullMirrorOf(ctx: Pick<Ctx, 'db'>, project: Project): PullingProject {
  if (project.mirror === 0) throw fail('bad_request', 'The project is not mirrored')
  return { project, row: find(ctx.db, project.id) }
}

/** Has a project updated soon, one that had failed for good as well. Throws 400 for one that follows nothing. */
export function startPull(ctx: Ctx, project: Project): void {
  pullMirrorOf(ctx, project)
  requestPull(ctx, project.id)
}
