import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { DeploymentChanged, EnvironmentChanged } from '../events.ts'
import type { DeploymentRow } from './deployments/store.ts'
import type { EnvironmentRow } from './store.ts'

/** Tells that an environment is another one now. To be called in the transaction of the change. */
export function publishEnvironment(ctx: Ctx, row: EnvironmentRow): void {
  const { project_id, id, state } = row
  publish(ctx, EnvironmentChanged, { project_id, environment_id: id, state, actor_id: ctx.actor.id })
}

/** Tells that a deployment was made or goes on. To be called in the transaction of the change. */
export function publishDeployment(ctx: Ctx, row: DeploymentRow): void {
  publish(ctx, DeploymentChanged, {
    project_id: row.project_id,
    deployment_id: row.id,
    environment_id: row.environment_id,
    status: row.status,
    actor_id: ctx.actor.id,
  })
}
