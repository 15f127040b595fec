import type { Ctx } from '../../../ctx.ts'
import type { EventType } from '../../../events/event.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { asTarget, Look, type AuditEntity, type AuditTarget } from './look.ts'
import * as store from './store.ts'

/** A line of the log in the making. */
export interface Draft {
  /** A word for what happened (`member_created`). */
  readonly name: string
  /** A sentence about it, without who did it. */
  readonly message: string
  readonly entity: AuditEntity
  /** The entity itself, unless it is said. */
  readonly target?: AuditTarget
  /** What clients read beside the sentence: `add`, `as`, `change`, `from`, `to`, `remove`. */
  readonly details?: Readonly<Record<string, unknown>>
  /** Who did it, where the event does not say so by `actor_id`; null is the instance. */
  readonly author_id?: number | null
  readonly author_name?: string
}

/** Id of an author who is nobody: the instance itself, or an identity provider. */
export const NOBODY = -1

/** Writes a line, in the transaction of what it tells of. */
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
    details: JSON.stringify(details),
    ip_address: ctx.cause?.ip ?? null,
    created_at: ctx.now,
  })
}

function nameOf(ctx: Ctx, id: number | null): string {
  if (id === null) return 'System'
  if (ctx.actor.kind === 'user' && ctx.actor.id === id) return ctx.actor.name
  return ctx.db.one<{ name: string }>('SELECT name FROM users WHERE id = ?', id)?.name ?? 'Deleted user'
}

/**
 * One line of the catalogue: which event is audited, and how. `describe` gives nothing for events that do not matter; it looks
 * up names by `look`.
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
