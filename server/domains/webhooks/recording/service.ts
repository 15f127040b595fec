import type { Ctx } from '../../../ctx.ts'
import { type Database, tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { HookEventRecorded } from '../events.ts'
import { FLAGS, type HookEvent, type Kind } from './hook-event.ts'
import * as store from './store.ts'
import { byId, type HookEventRow } from './store.ts'

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

const PURPOSE = 'hook_events.payload'

/** The form in which the log keeps what is told: payloads carry what pipelines were started with, which may be secret. */
export function sealBody({ secrets }: Pick<Ctx, 'secrets'>, text: string): string {
  return secrets.seal(text, PURPOSE)
}

/** What was told. Throws when the key of the instance is another one than it was sealed with. */
export function openBody({ secrets }: Pick<Ctx, 'secrets'>, sealed: string): string {
  return secrets.open(sealed, PURPOSE).toString()
}

/** An event that is still kept, with its payload as text. */
export function eventOf(ctx: Pick<Ctx, 'db' | 'secrets'>, id: number): HookEventRow | undefined {
  const row = byId(ctx.db, id)
  return row && { ...row, payload: openBody(ctx, row.payload) }
}

/**
 * Keeps events in their order, all of them or none; those of things that turned out to be gone (null) and those that
 * nobody listens to are left out.
 */
export function recordAll(ctx: Ctx, events: readonly (HookEvent | null)[], actorId: number | null): void {
  tx(ctx.db, () => {
    for (const event of events)
      if (event && isListened(ctx.db, event.kind, event)) record(ctx, event, actorId)
  })
}
