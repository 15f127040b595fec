import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { q, type Database } from '../../db/database.ts'
import { boundedCount, selectAll } from '../../db/lists.ts'
import { projectsOfMember } from '../members/index.ts'
import { TARGETS, type EventRow, type NewEvent } from './event-row.ts'
import { visible, type Viewer } from './visible.ts'

type Condition = RawBuilder<SqlBool>

/** Which lines of the feed are asked for. */
export interface EventFilter {
  readonly author_id?: number | undefined
  readonly project_id?: number | undefined
  /** Events of the projects that the viewer is a member of, besides the viewer's own. */
  readonly of_member?: boolean | undefined
  readonly action?: string | undefined
  readonly target_type?: keyof typeof TARGETS | undefined
  /** Moments: at or after, and before. */
  readonly from?: string | undefined
  readonly until?: string | undefined
}

/** Order and window of a page. */
export interface EventPage {
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

export function insert(db: Database, row: NewEvent): void {
  db.run(q.insertInto('activity_events').values(row))
}

/**
 * True when the last that the user did to this target is the same: the same event may be told twice. Closing something
 * again after it was opened again is another event.
 */
export function isRepeated(
  db: Database,
  row: Pick<NewEvent, 'author_id' | 'action' | 'target_type' | 'target_id'>,
): boolean {
  const last = db.one<{ action: string }>(
    `SELECT action FROM activity_events WHERE author_id = ? AND target_type IS ? AND target_id = ?
     ORDER BY id DESC LIMIT 1`,
    row.author_id,
    row.target_type ?? null,
    row.target_id ?? null,
  )
  return last?.action === row.action
}

/** From so many lines on, a page is found sooner by walking back from the newest than by gathering and sorting all. */
const MANY = 2000

function conditions(viewer: Viewer, filter: EventFilter, walk: boolean): Condition[] {
  const parts: Condition[] = []
  if (filter.author_id !== undefined) parts.push(sql<SqlBool>`e.author_id = ${filter.author_id}`)
  if (filter.project_id !== undefined) parts.push(sql<SqlBool>`e.project_id = ${filter.project_id}`)
  if (filter.of_member) {
    const mine = sql`SELECT p.id FROM projects p WHERE ${projectsOfMember(viewer)}`
    const plus = sql.raw(walk ? '+' : '')
    parts.push(sql<SqlBool>`(${plus}e.author_id = ${viewer.actor.id} OR ${plus}e.project_id IN (${mine}))`)
  }
  if (filter.action) parts.push(sql<SqlBool>`e.action = ${filter.action}`)
  if (filter.target_type === 'project') {
    parts.push(sql<SqlBool>`e.project_id IS NOT NULL AND e.target_type IS NULL AND e.action <> 'pushed'`)
  } else if (filter.target_type) {
    parts.push(sql<SqlBool>`e.target_type IN (${sql.join([...TARGETS[filter.target_type]])})`)
  }
  if (filter.from) parts.push(sql<SqlBool>`e.created_at >= ${filter.from}`)
  if (filter.until) parts.push(sql<SqlBool>`e.created_at < ${filter.until}`)
  return [...parts, visible(viewer)]
}

/** One page of the feed. */
export function list(db: Database, viewer: Viewer, filter: EventFilter, page: EventPage) {
  const from = (walk: boolean) =>
    sql`FROM activity_events e WHERE ${sql.join(conditions(viewer, filter, walk), sql` AND `)}`
  const total = boundedCount(db, sql`SELECT e.id ${from(false)}`)
  const direction = sql.raw(page.sort)
  const query = sql<EventRow>`SELECT e.* ${from(total > MANY)}
    ORDER BY e.id ${direction} LIMIT ${page.limit} OFFSET ${page.offset}`
  return { rows: selectAll(db, query), total }
}
