import type { Ctx } from '../../../ctx.ts'
import type { EventType } from '../../../events/event.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { asTarget, type AuditTarget } from './look.ts'
import { Look, type AuditEntity } from './store-look.ts'
import * as store from './store.ts'
import { nameOf } from './store.ts'

/** An audit event that is not stored yet. */
export interface Draft {
  /** Name of the kind of event (`member_created`). */
  readonly name: string
  /** A sentence about the action, without its author. */
  readonly message: string
  readonly entity: AuditEntity
  /** By default the entity itself. */
  readonly target?: AuditTarget
  /** What clients read in addition to the sentence: `add`, `as`, `change`, `from`, `to`, `remove`. */
  readonly details?: Readonly<Record<string, unknown>>
  /** The author, where the event has no `actor_id`; null is the instance. */
  readonly author_id?: number | null
  readonly author_name?: string
}

/** Id of an author who is no user: the instance itself, or an identity provider. */
export const NOBODY = -1

/** Stores an audit event in the transaction of the change. */
export function record(ctx: Ctx, event: { readonly actor_id?: number | null }, draft: Draft): void {
  const { entity, target = asTarget(entity) } = draft
  const author_id = draft.author_id === undefined ? (event.actor_id ?? null) : draft.author_id
  const details = { ...draft.details, custom_message: draft.message }
  store.insert(ctx.db, {
    author_id: author_id ?? NOBODY,
    author_name: draft.author_name ?? nameOf(ctx, author_id),
    entity_type: entity.type,
    entity_id: entity.id,
    entity_path: entity.path,
    event_type: draft.name,
    target_type: target.type,
    target_id: target.id,
    target_details: target.details,
    details,
    ip_address: ctx.cause?.ip ?? null,
    created_at: ctx.now,
  })
}

/**
 * Subscribes the audit log to an event. `describe` returns undefined for events that need no entry; it finds names with
 * `look`.
 */
export function audited<Payload>(
  type: EventType<Payload>,
  describe: (event: Payload, look: Look) => Draft | undefined,
): Subscription {
  const write = (ctx: Ctx, event: Payload): void => {
    const draft = describe(event, new Look(ctx.db))
    if (draft) record(ctx, event as { actor_id?: number | null }, draft)
  }
  return on(type, `audit.${type.name}`, write, { inside: true })
}
