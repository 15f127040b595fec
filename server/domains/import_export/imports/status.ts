import type { Ctx } from '../../../ctx.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { roleOnProject } from '../../members/index.ts'
import type { Project } from '../../projects/index.ts'
import type { ImportView } from './entity.ts'
import { failuresOf, MOST_SHOWN } from './failures.ts'
import * as store from '../runs/store.ts'

/** How the import of a project goes, for the caller's eyes. */
export function statusOf(ctx: Ctx, project: Project): ImportView {
  const window = { limit: MOST_SHOWN, offset: 0 }
  return {
    project,
    run: store.byProject(ctx.db, project.id),
    failures: failuresOf(ctx.db, { project_id: project.id }, window).rows,
    maintains: ctx.actor.is_admin || roleOnProject(ctx, project) >= MAINTAINER,
  }
}
