import { type Selectable, sql } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { AuditEventsTable } from '../../../db/schema.gen.ts'
import type { Ctx } from '../../../ctx.ts'

/** The entity that an audit event is about. */
export interface AuditEntity {
  readonly type: 'Instance' | 'Group' | 'Project' | 'User'
  readonly id: number
  readonly path: string
}

/** The instance as an entity. */
export const INSTANCE: AuditEntity = { type: 'Instance', id: 1, path: 'instance' }

interface AuditScope {
  readonly project_id?: number | null | undefined
  readonly group_id?: number | null | undefined
}

/**
 * Finds the names of records in the transaction of the change. For a deleted record, the caller passes the name in
 * the event.
 */
export class NameLookup {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  project(id: number, path?: string): AuditEntity {
    const text = `SELECT n.full_path || '/' || p.path AS path FROM projects p
      JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = ?`
    return { type: 'Project', id, path: path ?? this.#text(text, id) }
  }

  group(id: number, path?: string): AuditEntity {
    return {
      type: 'Group',
      id,
      path: path ?? this.#text('SELECT full_path AS path FROM namespaces WHERE id = ?', id),
    }
  }

  user(id: number, username?: string): AuditEntity {
    return {
      type: 'User',
      id,
      path: username ?? this.#text('SELECT username AS path FROM users WHERE id = ?', id),
    }
  }

  /** Returns the project, the group, or the instance if there is neither. */
  scope({ project_id, group_id }: AuditScope): AuditEntity {
    if (project_id != null) return this.project(project_id)
    return group_id == null ? INSTANCE : this.group(group_id)
  }

  /**
   * Returns one text column of a row, such as the name of a token; an empty text for a deleted row. `table` and
   * `column` must be constants, because they become part of the SQL.
   */
  name(table: string, column: string, id: number): string {
    return this.#text(`SELECT ${column} AS path FROM ${table} WHERE id = ?`, id)
  }

  #text(sql: string, id: number): string {
    const path = this.#db.one<{ path: string | number | null }>(sql, id)?.path
    return path == null ? '' : String(path)
  }
}

/** The record that an action changed. */
export interface AuditTarget {
  readonly type: string
  readonly id: number | null
  readonly details: string
}

/** Returns an entity as the target of an action. */
export function asTarget({ type, id, path }: AuditEntity): AuditTarget {
  return { type, id, details: path }
}

/** A stored audit event. */
export type AuditRow = Selectable<AuditEventsTable>

/** Filters of audit events; an absent filter has no effect. */
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

/**
 * Ids grow with time, so a filter by time becomes a condition on the id, which a query of the index of times returns.
 */
const FIRST_SINCE = `(SELECT f.id FROM audit_events f WHERE f.created_at >= ? ORDER BY f.created_at, f.id LIMIT 1)`
const LAST_UNTIL = `(SELECT l.id FROM audit_events l WHERE l.created_at <= ? ORDER BY l.created_at DESC, l.id DESC LIMIT 1)`

const withValue = (text: string, value: string) => {
  const [before = '', after = ''] = text.split('?')
  return sql<number>`${sql.raw(before)}${value}${sql.raw(after)}`
}

function matchingEvents(filter: AuditFilter) {
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
  if (created_after !== undefined) query = query.where('id', '>=', withValue(FIRST_SINCE, created_after))
  if (created_before !== undefined) query = query.where('id', '<=', withValue(LAST_UNTIL, created_before))
  if (before_id !== undefined) query = query.where('id', '<', before_id)
  return query
}

/** Returns one page of events, the newest first. */
export function list(
  db: Database,
  filter: AuditFilter,
  window: { limit: number; offset: number; isCounted: boolean },
): Rows<AuditRow> {
  const query = matchingEvents(filter)
  const rows = db.all(query.selectAll().orderBy('id', 'desc').limit(window.limit).offset(window.offset))
  return window.isCounted ? { rows, total: boundedCount(db, query.select('id')) } : { rows }
}

/** Returns an event that matches the filter. */
export function byId(db: Database, id: number, filter: AuditFilter): AuditRow | undefined {
  return db.get(matchingEvents(filter).selectAll().where('id', '=', id))
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
