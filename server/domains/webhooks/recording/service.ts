import type { Ctx } from '../../../ctx.ts'
import { type Database, tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { HookEventRecorded } from '../events.ts'
import { FLAGS, type HookEvent, type Kind } from './hook-event.ts'
import * as store from './store.ts'
import { byId, type HookEventRow } from './store.ts'

/**
 * True if a webhook or integration of the owner listens to a kind of event. The check is cheap, so subscribers can use
 * it in `only` to skip events.
 */
export function hasListenerFor(
  db: Database,
  kind: Kind,
  owner: { project_id?: number | null | undefined; group_id?: number | null | undefined },
): boolean {
  if (!store.hasListeners(db)) return false
  const ids = { project_id: owner.project_id ?? undefined, group_id: owner.group_id ?? undefined }
  if (ids.project_id !== undefined && store.hasIntegration(db, ids.project_id, kind)) return true
  return store.hasHookFor(db, FLAGS[kind], ids)
}

/** Stores an event and publishes it to webhooks and integrations. Returns its ID. */
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
    const owner = {
      ...(project_id === undefined ? {} : { project_id }),
      ...(group_id === undefined ? {} : { group_id }),
    }
    publish(ctx, HookEventRecorded, { ...owner, event_id: id, kind, ref })
    return id
  })
}

const PURPOSE = 'hook_events.payload'

/** Encrypts a payload, since it may contain secret pipeline variables. */
export function sealBody({ secrets }: Pick<Ctx, 'secrets'>, text: string): string {
  return secrets.seal(text, PURPOSE)
}

/** Decrypts a payload. Throws if the instance's key has changed since. */
export function openBody({ secrets }: Pick<Ctx, 'secrets'>, sealed: string): string {
  return secrets.open(sealed, PURPOSE).toString()
}

/** Returns a stored event with its decrypted payload. Undefined if it was deleted. */
export function eventOf(ctx: Pick<Ctx, 'db' | 'secrets'>, id: number): HookEventRow | undefined {
  const row = byId(ctx.db, id)
  return row && { ...row, payload: openBody(ctx, row.payload) }
}

/** Records events in order and in one transaction. Skips nulls (deleted subjects) and events without listeners. */
export function recordAll(ctx: Ctx, events: readonly (HookEvent | null)[], actorId: number | null): void {
  tx(ctx.db, () => {
    for (const event of events)
      if (event && hasListenerFor(ctx.db, event.kind, event)) record(ctx, event, actorId)
  })
}
