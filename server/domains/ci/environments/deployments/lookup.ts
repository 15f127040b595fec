import type { Ctx } from '../../../../ctx.ts'
import type { Project } from '../../../projects/index.ts'
import * as environments from '../store.ts'
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

/** An environment of a project for other domains; undefined where it is gone. */
export function environmentOf(
  ctx: Pick<Ctx, 'db'>,
  project: Pick<Project, 'id'>,
  id: number,
): environments.EnvironmentRow | undefined {
  return environments.byId(ctx.db, project.id, id)
}

/** A deployment that succeeded: where it came to, and what was there before. */
export interface Arrival {
  readonly deployment: DeploymentRow
  readonly environment: { readonly name: string; readonly tier: string }
  /** Commit of the successful deployment to the same environment before it; null for the first. */
  readonly before: string | null
}

/** What a successful deployment of a project brought; undefined where it is gone or did not succeed. */
export function arrivalOf(
  ctx: Pick<Ctx, 'db'>,
  project: Pick<Project, 'id'>,
  id: number,
): Arrival | undefined {
  const deployment = deploymentOf(ctx, project, id)
  const environment = deployment && environments.byId(ctx.db, project.id, deployment.environment_id)
  if (deployment?.status !== 'success' || !environment) return undefined
  const before = store.successBefore(ctx.db, deployment)
  return { deployment, environment, before: before?.sha ?? null }
}
