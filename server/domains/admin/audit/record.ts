import type { Ctx } from '../../../ctx.ts'
import type { EventType } from '../../../events/event.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import * as store from './store.ts'
import {
  nameOf,
  NameLookup,
  type AuditEntity,
  asTarget,
  type AuditTarget,
  type AuditFilter,
  type AuditRow,
} from './store.ts'

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
export const NO_USER = -1

/** Stores an audit event in the transaction of the change. */
export function record(ctx: Ctx, event: { readonly actor_id?: number | null }, draft: Draft): void {
  const { entity, target = asTarget(entity) } = draft
  const author_id = draft.author_id === undefined ? (event.actor_id ?? null) : draft.author_id
  const details = { ...draft.details, custom_message: draft.message }
  store.insert(ctx.db, {
    author_id: author_id ?? NO_USER,
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
 * `lookup`.
 */
export function audited<Payload>(
  type: EventType<Payload>,
  describe: (event: Payload, lookup: NameLookup) => Draft | undefined,
): Subscription {
  const write = (ctx: Ctx, event: Payload): void => {
    const draft = describe(event, new NameLookup(ctx.db))
    if (draft) record(ctx, event as { actor_id?: number | null }, draft)
  }
  return on(type, `audit.${type.name}`, write, { inside: true })
}

/** Paging parameters of a list of audit events. */
interface AuditPaging {
  readonly limit: number
  readonly offset: number
  readonly per_page: number
  readonly keyset: boolean
}

/** One page, newest first; with keyset paging it has the cursor of the next page. Throws 400 for an invalid cursor. */
export function listEvents(
  ctx: Pick<Ctx, 'db'>,
  { cursor, ...filter }: AuditFilter & { cursor?: string | undefined },
  paging: AuditPaging,
) {
  if (!paging.keyset) return store.list(ctx.db, filter, { ...paging, counted: true })
  const before = cursor === undefined ? {} : { before_id: readCursor(cursor) }
  const { rows } = store.list(ctx.db, { ...filter, ...before }, { ...paging, counted: false })
  const page = rows.slice(0, paging.per_page)
  const last = page.at(-1)
  const isLast = rows.length === page.length || !last
  return { rows: page, next: isLast ? undefined : { cursor: makeCursor(last.id) } }
}

/** One event, optionally of one entity only. Throws `404 Audit Event Not Found`. */
export function getEvent(ctx: Pick<Ctx, 'db'>, id: number, of: AuditFilter): AuditRow {
  const row = store.byId(ctx.db, id, of)
  if (!row) throw notFound('Audit Event')
  return row
}

/** The opaque cursor of a position in the list (spec core 8.6). */
function makeCursor(id: number): string {
  return Buffer.from(JSON.stringify({ id: String(id), _kd: 'n' })).toString('base64url')
}

function readCursor(cursor: string): number {
  try {
    const { id } = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as { id?: unknown }
    if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id)
  } catch {
    // Not a cursor of this instance: the error below reports it.
  }
  throw fail('parameter', 'cursor is invalid')
}
