import type { Ctx } from '../../../../ctx.ts'
import { publish } from '../../../../events/publish.ts'
import { ProjectExportChanged } from '../../events.ts'
import * as store from '../../exports/store.ts'
import type { Export, ProjectExport } from '../../exports/store.ts'

/** The statuses in the API (spec administration 6.1). */
export type ExportStatus = 'none' | 'queued' | 'started' | 'finished' | 'regeneration_in_progress'

/** The state of the export of a project. */
export interface ExportState {
  readonly status: ExportStatus
  readonly newest: Export | undefined
  /** The export with an archive that can be downloaded. */
  readonly available: Export | undefined
}

/** Whether an export is queued or running. */
export function isActive(row: Export | undefined): boolean {
  return row?.state === 'queued' || row?.state === 'started'
}

/** The state of the export of a project. A failed export has no archive. */
export function stateOf(ctx: Pick<Ctx, 'db' | 'now'>, projectId: number): ExportState {
  const owner = { kind: 'project', id: projectId } as const
  const newest = store.newest(ctx.db, owner)
  const available = store.newestWithFile(ctx.db, owner, ctx.now)
  return { status: statusOf(newest, available), newest, available }
}

function statusOf(newest: Export | undefined, available: Export | undefined): ExportStatus {
  if (isActive(newest)) {
    if (available) return 'regeneration_in_progress'
    return newest?.state === 'queued' ? 'queued' : 'started'
  }
  if (newest?.after_state === 'running') return 'started'
  return available ? 'finished' : 'none'
}

/** Whether an archive can be downloaded. */
export function hasLinks({ status }: ExportState): boolean {
  return status === 'finished' || status === 'regeneration_in_progress'
}

/** Publishes a change of an export, in its transaction. */
export function publishChange(ctx: Ctx, { id, project_id, user_id, state }: ProjectExport): void {
  publish(ctx, ProjectExportChanged, { project_id, actor_id: user_id, export_id: id, state })
}
