import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { requestRemoval } from '../artifacts/disk.ts'
import type { JobRow } from '../jobs/store.ts'
import { tell } from './service.ts'
import * as store from './store.ts'

/** Removes the log of a job, in pieces or as a file; the file goes in the background. */
export function eraseTrace(ctx: Ctx, job: JobRow): void {
  tx(ctx.db, () => {
    if (!store.forget(ctx.db, job.id)) return
    requestRemoval(ctx)
    tell(ctx, job, 0)
  })
}
