import type { Ctx } from '../../../../ctx.ts'
import * as store from './store.ts'
import type { ProjectExport } from './store.ts'

/** The words of the contract (spec administration 6.1). */
export type ExportStatus = 'none' | 'queued' | 'started' | 'finished' | 'regeneration_in_progress'

/** How far the archive of a project is. */
export interface ExportState {
  readonly status: ExportStatus
  readonly newest: ProjectExport | undefined
  /** The one whose file can be downloaded. */
  readonly ready: ProjectExport | undefined
}

/** True while an export waits or is made. */
export function isUnderWay(row: ProjectExport | undefined): boolean {
  return row?.state === 'queued' || row?.state === 'started'
}

/** How far the archive of a project is; after a failure there is none. */
export function stateOf(ctx: Pick<Ctx, 'db' | 'now'>, projectId: number): ExportState {
  const newest = store.newest(ctx.db, projectId)
  const ready = store.withFile(ctx.db, projectId, ctx.now)
  return { status: statusOf(newest, ready), newest, ready }
}

function statusOf(newest: ProjectExport | undefined, ready: ProjectExport | undefined): ExportStatus {
  if (isUnderWay(newest)) {
    if (ready) return 'regeneration_in_progress'
    return newest?.state === 'queued' ? 'queued' : 'started'
  }
  if (newest?.after_state === 'running') return 'started'
  return ready ? 'finished' : 'none'
}

/** Whether the file can be had, so that links to it are shown. */
export function hasLinks({ status }: ExportState): boolean {
  return status === 'finished' || status === 'regeneration_in_progress'
}
