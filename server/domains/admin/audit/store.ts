import { type Selectable, sql } from 'kysely'
import { q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { AuditEventsTable } from '../../../db/schema.gen.ts'
import type { Ctx } from '../../../ctx.ts'

/** A stored audit event. */
export type AuditRow = Selectable<AuditEventsTable>

/** Conditions on audit events; all given ones must hold. */
export interface AuditFilter {
  readonly entity_type?: AuditRow['entity_type'] | undefined
  readonly entity_id?: number | undefined
  readonly author_id?: number | undefined
  readonly author_username?: string | undefined
  readonly event_name?: string | undefined
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
  /** Only events before this one, for keyset paging. */
  readonly before_id?: number | undefined
}

/** Ids grow with time, so the index of times turns times into ids. */
const FIRST_SINCE = `(SELECT f.id FROM audit_events f WHERE f.created_at >= ? ORDER BY f.created_at, f.id LIMIT 1)`
const LAST_UNTIL = `(SELECT l.id FROM audit_events l WHERE l.created_at <= ? ORDER BY l.created_at DESC, l.id DESC LIMIT 1)`

const bound = (text: string, value: string) => {
  const [before = '', after = ''] = text.split('?')
  return sql<number>`${sql.raw(before)}${value}${sql.raw(after)}`
}

function matching(filter: AuditFilter) {
  let query = q.selectFrom('audit_events')
  const { entity_type, entity_id, author_id, author_username, event_name } = filter
  const { created_after, created_before, before_id } = filter
  if (entity_type !== undefined) query = query.where('entity_type', '=', entity_type)
  if (entity_id !== undefined) query = query.where('entity_id', '=', entity_id)
  if (author_id !== undefined) query = query.where('author_id', '=', author_id)
  if (author_username !== undefined)
    query = query.where(
      'author_id',
      '=',
      sql<number>`(SELECT a.id FROM users a WHERE a.username = ${author_username})`,
    )
  if (event_name !== undefined) query = query.where('event_type', '=', event_name)
  if (created_after !== undefined) query = query.where('id', '>=', bound(FIRST_SINCE, created_after))
  if (created_before !== undefined) query = query.where('id', '<=', bound(LAST_UNTIL, created_before))
  if (before_id !== undefined) query = query.where('id', '<', before_id)
  return query
}

/** One page of events, newest first. */
export function list(
  db: Database,
  filter: AuditFilter,
  window: { limit: number; offset: number; counted: boolean },
): Rows<AuditRow> {
  const query = matching(filter)
  const rows = db.all(query.selectAll().orderBy('id', 'desc').limit(window.limit).offset(window.offset))
  return window.counted ? { rows, total: boundedCount(db, query.select('id')) } : { rows }
}

/** One event, optionally of one entity only. */
export function byId(db: Database, id: number, of: AuditFilter): AuditRow | undefined {
  return db.get(matching(of).selectAll().where('id', '=', id))
}

export function insert(db: Database, row: Omit<AuditRow, 'id'>): void {
  db.exec(
    `INSERT INTO audit_events (author_id, author_name, entity_type, entity_id, entity_path, event_type,
       target_type, target_id, target_details, details, ip_address, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.author_id,
    row.author_name,
    row.entity_type,
    row.entity_id,
    row.entity_path,
    row.event_type,
    row.target_type,
    row.target_id,
    row.target_details,
    row.details,
    row.ip_address,
    row.created_at,
  )
}

export function nameOf(ctx: Ctx, id: number | null): string {
  if (id === null) return 'System'
  if (ctx.actor.kind === 'user' && ctx.actor.id === id) return ctx.actor.name
  return ctx.db.one<{ name: string }>('SELECT name FROM users WHERE id = ?', id)?.name ?? 'Deleted user'
}
