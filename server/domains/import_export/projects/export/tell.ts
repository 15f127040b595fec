import type { Ctx } from '../../../../ctx.ts'
import { publish } from '../../../../events/publish.ts'
import { ProjectExportChanged } from '../../events.ts'
import type { ProjectExport } from './store.ts'

/** Tells that something about an export changed. To be called in the transaction of the change. */
export function tell(ctx: Ctx, { id, project_id, user_id, state }: ProjectExport): void {
  publish(ctx, ProjectExportChanged, { project_id, actor_id: user_id, export_id: id, state })
}
