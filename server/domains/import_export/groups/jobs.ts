import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { cron, type CronLine, type Job } from '../../../jobs/job.ts'
import { isoTime } from '../../../lib/clock.ts'
import { bulkJobs, startNext } from '../bulk_imports/scheduling.ts'
import { TIMEOUT } from '../bulk_imports/state.ts'
import * as store from '../bulk_imports/store.ts'
import { expireRelationExports } from '../relation_exports/expiry.ts'
import { exportRelations } from '../relation_exports/job.ts'
import { expireExports } from './export/expiry.ts'
import { exportGroup } from './export/job.ts'
import { importGroup } from './import/job.ts'
import { takeBack } from './running.ts'

/** How long nothing may happen to a group or project that is being taken over (spec administration 6.4). */
const STILL_MS = 24 * 3600 * 1000

/** Ends what stands still. Called by the clock. */
function failStandingStill(ctx: Ctx): void {
  const before = isoTime(Date.parse(ctx.now) - STILL_MS)
  const still = store.standingStill(ctx.db, before)
  for (const { id } of still) {
    tx(ctx.db, () => store.updateEntity(ctx.db, id, { status: TIMEOUT, has_failures: true }, ctx.now))
    takeBack(ctx, `bulk:${id}`)
  }
  for (const id of new Set(still.map(({ bulk_import_id }) => bulk_import_id))) startNext(ctx, id)
}

export const jobs: Job[] = [exportGroup, importGroup, exportRelations, ...bulkJobs] as Job[]

export const crons: CronLine[] = [
  cron('group_transfer.expire', '17 * * * *', async (ctx) => {
    await expireExports(ctx)
    await expireRelationExports(ctx)
  }),
  cron('group_transfer.stuck', '37 * * * *', failStandingStill),
]
