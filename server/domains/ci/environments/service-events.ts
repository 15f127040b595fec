import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { DeploymentChanged, EnvironmentChanged } from '../events.ts'
import type { DeploymentRow } from './deployments/store.ts'
import type { EnvironmentRow } from './store.ts'

/** Publishes the event of a changed environment. Call it in the transaction of the change. */
export function publishEnvironment(
  ctx: Ctx,
  { project_id, id, state }: Omit<EnvironmentRow, 'state'> & { state: EnvironmentRow['state'] | 'removed' },
): void {
  publish(ctx, EnvironmentChanged, { project_id, environment_id: id, state, actor_id: ctx.actor.id })
}

/** Publishes the event of a created or changed deployment. Call it in the transaction of the change. */
export function publishDeployment(ctx: Ctx, row: DeploymentRow): void {
  publish(ctx, DeploymentChanged, {
    project_id: row.project_id,
    deployment_id: row.id,
    environment_id: row.environment_id,
    status: row.status,
    actor_id: ctx.actor.id,
  })
}
