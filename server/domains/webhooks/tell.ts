import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import type { HookEvent } from './recording/hook-event.ts'
import { isListened, record } from './recording/record.ts'

/**
 * Keeps events in their order, all of them or none; those of things that turned out to be gone (null) and those that
 * nobody listens to are left out.
 */
export function tell(ctx: Ctx, events: readonly (HookEvent | null)[], actorId: number | null): void {
  tx(ctx.db, () => {
    for (const event of events)
      if (event && isListened(ctx.db, event.kind, event)) record(ctx, event, actorId)
  })
}
