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
  /** The type of the event, such as `member_created`. */
  readonly name: string
  /** A sentence that describes the action without its author. */
  readonly message: string
  readonly entity: AuditEntity
  /** The record that the action changed. Defaults to the entity. */
  readonly target?: AuditTarget
  /** Fields for clients, in addition to the sentence: `add`, `as`, `change`, `from`, `to`, `remove`. */
  readonly details?: Readonly<Record<string, unknown>>
  /** The author, if it is not the event's `actor_id`; null for the instance. */
  readonly author_id?: number | null
  readonly author_name?: string
}

/** The id of an author that is not a user: the instance, or an identity provider. */
export const SYSTEM_AUTHOR_ID = -1

/** Stores an audit event in the transaction of the change. */
export function record(ctx: Ctx, event: { readonly actor_id?: number | null }, draft: Draft): void {
  const { entity, target = asTarget(entity) } = draft
  const author_id = draft.author_id === undefined ? (event.actor_id ?? null) : draft.author_id
  const details = { ...draft.details, custom_message: draft.message }
  store.insert(ctx.db, {
    author_id: author_id ?? SYSTEM_AUTHOR_ID,
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
 * Subscribes the audit log to an event. `describe` returns the audit event, or undefined if there is none; it finds
 * the names of records with `lookup`.
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

/**
 * Returns one page of events, the newest first. With keyset paging it has the cursor of the next page. Throws 400 for
 * an invalid cursor.
 */
export function listEvents(
  ctx: Pick<Ctx, 'db'>,
  { cursor, ...filter }: AuditFilter & { cursor?: string | undefined },
  paging: AuditPaging,
) {
  if (!paging.keyset) return store.list(ctx.db, filter, { ...paging, isCounted: true })
  const before = cursor === undefined ? {} : { before_id: readCursor(cursor) }
  const { rows } = store.list(ctx.db, { ...filter, ...before }, { ...paging, isCounted: false })
  const page = rows.slice(0, paging.per_page)
  const last = page.at(-1)
  const isLast = rows.length === page.length || !last
  return { rows: page, next: isLast ? undefined : { cursor: makeCursor(last.id) } }
}

/** Returns an event that matches the filter. Throws `404 Audit Event Not Found`. */
export function getEvent(ctx: Pick<Ctx, 'db'>, id: number, filter: AuditFilter): AuditRow {
  const row = store.byId(ctx.db, id, filter)
  if (!row) throw notFound('Audit Event')
  return row
}

/** Returns the opaque cursor of the position after an event (spec core 8.6). */
function makeCursor(id: number): string {
  return Buffer.from(JSON.stringify({ id: String(id), _kd: 'n' })).toString('base64url')
}

function readCursor(cursor: string): number {
  try {
    const { id } = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as { id?: unknown }
    if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id)
  } catch {
    // The text is not JSON, so it is no cursor. The error follows.
  }
  throw fail('parameter', 'cursor is invalid')
}
