import type { Ctx } from '../../../ctx.ts'
import { type Database, tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { HookEventRecorded } from '../events.ts'
import { FLAGS, type HookEvent, type Kind } from './hook-event.ts'
import { sealBody } from './sealing.ts'
import * as store from './store.ts'

/**
 * Whether anybody wants to hear of a kind of event there: a webhook or an integration that asked for it. Cheap, so that events nobody listens to leave no work behind; the test that a subscriber's `only` makes.
 */
export function isListened(
  db: Database,
  kind: Kind,
  place: { project_id?: number | null | undefined; group_id?: number | null | undefined },
): boolean {
  if (!store.hasListeners(db)) return false
  const at = { project_id: place.project_id ?? undefined, group_id: place.group_id ?? undefined }
  if (at.project_id !== undefined && store.hasIntegration(db, at.project_id, kind)) return true
  return store.hasHookFor(db, FLAGS[kind], at)
}

/** Keeps an event and tells of it; webhooks and integrations take it from there. Returns its id. */
export function record(ctx: Ctx, event: HookEvent, actorId: number | null): number {
  return tx(ctx.db, () => {
    const { kind, project_id, group_id, ref = null } = event
    const id = store.insert(ctx.db, {
      uuid: ctx.cause?.uuid ?? ctx.random.id(),
      chained: ctx.cause?.chained ?? false,
      kind,
      project_id: project_id ?? null,
      group_id: group_id ?? null,
      actor_id: actorId,
      ref,
      payload: sealBody(ctx, JSON.stringify(event.payload)),
      created_at: ctx.now,
    })
    const place = {
      ...(project_id === undefined ? {} : { project_id }),
      ...(group_id === undefined ? {} : { group_id }),
    }
    publish(ctx, HookEventRecorded, { ...place, event_id: id, kind, ref })
    return id
  })
}
