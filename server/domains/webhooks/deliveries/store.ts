import type { Insertable, Selectable, Updateable } from 'kysely'

import { type Database, q } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { DeliveriesTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'
import type { Target } from './types.ts'

/** An attempt to deliver an event, as stored. */
export type DeliveryRow = Selectable<DeliveriesTable>

/** An attempt with its body: its own body, or the payload of the event. */
export interface DeliveryWithBody extends DeliveryRow {
  readonly body: string | null
}

/** Inserts an attempt before or after it is sent. Returns its ID. */
export function insert(db: Database, row: Insertable<DeliveriesTable>): number {
  return db.run(q.insertInto('deliveries').values(row)).id
}

export function update(db: Database, id: number, columns: Updateable<DeliveriesTable>): void {
  db.run(q.updateTable('deliveries').set(columns).where('id', '=', id))
}

export const { byId, remove } = table('deliveries')

/** Filters by a range of statuses, or for attempts without a response. */
export interface LogFilter {
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly unanswered?: boolean | undefined
}

function attemptsFor(target: Target) {
  const query = q.selectFrom('deliveries as d').where('d.state', '=', 'done')
  return 'hook_id' in target
    ? query.where('d.hook_id', '=', target.hook_id)
    : query.where('d.integration_id', '=', target.integration_id)
}

/** Returns one page of finished attempts for a target, newest first. */
export function list(
  db: Database,
  target: Target,
  filter: LogFilter,
  paging: { limit: number; offset: number },
): Rows<DeliveryWithBody> {
  let query = attemptsFor(target)
  if (filter.from !== undefined) query = query.where('d.response_status', '>=', filter.from)
  if (filter.to !== undefined) query = query.where('d.response_status', '<=', filter.to)
  if (filter.unanswered) query = query.where('d.response_status', 'is', null)
  const rows = query
    .leftJoin('hook_events as e', 'e.id', 'd.event_id')
    .selectAll('d')
    .select((eb) => eb.fn.coalesce('d.request_body', 'e.payload').as('body'))
    .orderBy('d.id', 'desc')
    .limit(paging.limit)
    .offset(paging.offset)
  return { rows: db.all(rows), total: boundedCount(db, query.select('d.id')) }
}

/** Returns one finished attempt for a target, with its body. */
export function findOne(db: Database, target: Target, id: number): DeliveryWithBody | undefined {
  const query = attemptsFor(target)
    .where('d.id', '=', id)
    .leftJoin('hook_events as e', 'e.id', 'd.event_id')
    .selectAll('d')
    .select((eb) => eb.fn.coalesce('d.request_body', 'e.payload').as('body'))
  return db.get(query)
}

/** Returns the webhooks that received other events caused by the same request. */
export function hooksInChain(db: Database, uuid: string, eventId: number): number[] {
  const rows = db.many<{ hook_id: number }>(
    `SELECT DISTINCT d.hook_id FROM hook_events e JOIN deliveries d ON d.event_id = e.id
     WHERE e.uuid = ? AND e.id <> ? AND d.hook_id IS NOT NULL`,
    uuid,
    eventId,
  )
  return rows.map((row) => row.hook_id)
}

/** Returns the webhooks that have a delivery of an event. */
export function hooksOf(db: Database, eventId: number): number[] {
  const rows = db.many<{ hook_id: number }>(
    'SELECT DISTINCT hook_id FROM deliveries WHERE event_id = ? AND hook_id IS NOT NULL',
    eventId,
  )
  return rows.map((row) => row.hook_id)
}

/** Deletes finished attempts and delivered events before given times, at most `limit` of each. Returns the larger count. */
export function removeOld(db: Database, before: string, eventsBefore: string, limit: number): number {
  const attempts = db.exec(
    `DELETE FROM deliveries WHERE id IN
       (SELECT id FROM deliveries WHERE created_at < ? AND state = 'done' ORDER BY created_at, id LIMIT ?)`,
    before,
    limit,
  )
  const events = db.exec(
    `DELETE FROM hook_events WHERE id IN
       (SELECT e.id FROM hook_events e WHERE e.created_at < ?
          AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id AND d.state = 'waiting')
        ORDER BY e.created_at, e.id LIMIT ?)`,
    eventsBefore,
    limit,
  )
  return Math.max(attempts.changes, events.changes)
}
