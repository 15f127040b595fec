import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { requestRemoval } from '../artifacts/disk.ts'
import { TraceChanged } from '../events.ts'
import type { JobRow } from '../jobs/store.ts'
import * as store from './store.ts'

/** Largest log of a job, bytes (spec ci 1.9). */
export const MAX_TRACE = 100 * 1024 * 1024

/** What happened to a piece, and the size of the log now. */
export interface Appended {
  readonly outcome: 'stored' | 'misplaced' | 'too_large'
  readonly size: number
}

/**
 * Appends bytes to the log of a job. `start` must be the size of the log in bytes, so that a piece that was sent twice is
 * not stored twice.
 */
export function appendTrace(ctx: Ctx, job: JobRow, start: number, bytes: Buffer): Appended {
  return tx(ctx.db, () => {
    const size = store.sizeOf(ctx.db, job.id) ?? 0
    if (size !== start) return { outcome: 'misplaced', size }
    if (size + bytes.length > MAX_TRACE) return { outcome: 'too_large', size }
    if (bytes.length === 0) return { outcome: 'stored', size }
    store.append(ctx.db, job.id, { start, bytes }, ctx.now)
    publishSize(ctx, job, size + bytes.length)
    return { outcome: 'stored', size: size + bytes.length }
  })
}

/** Removes the log of a job, in pieces or as a file; the file goes in the background. */
export function eraseTrace(ctx: Ctx, job: JobRow): void {
  tx(ctx.db, () => {
    if (!store.forget(ctx.db, job.id)) return
    requestRemoval(ctx)
    publishSize(ctx, job, 0)
  })
}

/** Publishes the size of a log for the windows that show it. */
function publishSize(ctx: Ctx, job: Pick<JobRow, 'id' | 'project_id' | 'pipeline_id'>, size: number): void {
  const { project_id, pipeline_id, id: job_id } = job
  publish(ctx, TraceChanged, { project_id, pipeline_id, job_id, size })
}
