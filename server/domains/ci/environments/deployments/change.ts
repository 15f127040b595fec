import type { Ctx } from '../../../../ctx.ts'
import { enqueue } from '../../../../jobs/job.ts'
import type { DeploymentStatus } from '../entity.ts'
import { tellDeployment, tellEnvironment } from '../service-events.ts'
import { markDeploymentRef } from '../jobs.ts'
import * as environments from '../store.ts'
import type { EnvironmentColumns } from '../store.ts'
import * as store from './store.ts'
import type { DeploymentRow } from './store.ts'

/** States in which nothing more is expected of a deployment. */
const OVER = new Set(['success', 'failed', 'canceled', 'skipped'])

/** True where a deployment can take that step (spec ci 5.5): anything ends, and only what has not begun runs. */
export function mayBecome(from: string, to: DeploymentStatus): boolean {
  if (OVER.has(to)) return from !== to
  return from === 'created' || (from === 'blocked' && to === 'created')
}

/**
 * Gives a deployment its next status, and where it succeeded starts its environment with what is known of it by then.
 * To be called in a transaction, with a step that it can take.
 */
export function changeDeployment(
  ctx: Ctx,
  before: DeploymentRow,
  status: DeploymentStatus,
  environment: Pick<EnvironmentColumns, 'external_url' | 'tier' | 'auto_stop_at'> = {},
): DeploymentRow {
  const finished_at = OVER.has(status) ? ctx.now : null
  const row = store.update(ctx.db, before.id, { status, finished_at, updated_at: ctx.now })
  tellDeployment(ctx, row)
  if (status === 'success') arrive(ctx, row, environment)
  return row
}

/** What follows from a deployment that succeeded, a new one too. To be called in a transaction. */
export function arrive(ctx: Ctx, row: DeploymentRow, columns: EnvironmentColumns = {}): void {
  const started = environments.update(ctx.db, row.environment_id, {
    ...columns,
    state: 'available',
    auto_delete_at: null,
    updated_at: ctx.now,
  })
  tellEnvironment(ctx, started)
  enqueue(ctx, markDeploymentRef, { project_id: row.project_id, deployment_id: row.id })
}
