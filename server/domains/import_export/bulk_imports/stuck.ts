import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { isoTime } from '../../../lib/clock.ts'
import { takeBack } from '../groups/running.ts'
import { startNext } from './scheduling.ts'
import { TIMEOUT } from './state.ts'
import * as store from './store.ts'

/** How long nothing may happen to a group or project that is being taken over (spec administration 6.4). */
const STILL_MS = 24 * 3600 * 1000

/** Ends what stands still. Called by the clock. */
export function failStandingStill(ctx: Ctx): void {
  const before = isoTime(Date.parse(ctx.now) - STILL_MS)
  const still = store.standingStill(ctx.db, before)
  for (const { id } of still) {
    tx(ctx.db, () => store.updateEntity(ctx.db, id, { status: TIMEOUT, has_failures: 1 }, ctx.now))
    takeBack(ctx, `bulk:${id}`)
  }
  for (const id of new Set(still.map(({ bulk_import_id }) => bulk_import_id))) startNext(ctx, id)
}
