import type { Ctx } from '../../../../ctx.ts'
import type { Project } from '../../../projects/index.ts'
import * as store from './store.ts'
import type { DeploymentRow } from './store.ts'

/** A deployment of a project for other domains; undefined where it is gone. */
export function deploymentOf(
  ctx: Pick<Ctx, 'db'>,
  project: Pick<Project, 'id'>,
  id: number,
): DeploymentRow | undefined {
  return store.byId(ctx.db, project.id, id)
}
