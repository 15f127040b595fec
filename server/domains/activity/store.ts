import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { q, type Database } from '../../db/database.ts'
import { boundedCount, selectAll } from '../../db/lists.ts'
import { REPORTER } from '../../policy/levels.ts'
import { projectsOfMember, visibleProjects } from '../members/index.ts'
import { TARGETS, type EventRow, type NewEvent } from './event-row.ts'

type Viewer = Parameters<typeof visibleProjects>[0]
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

/** True when the user has done this to this target before; the same fact may be told twice. */
export function exists(
  db: Database,
  row: Pick<NewEvent, 'author_id' | 'action' | 'target_type' | 'target_id'>,
) {
  return db.one(
    'SELECT 1 FROM activity_events WHERE author_id = ? AND action = ? AND target_type IS ? AND target_id IS ?',
    row.author_id,
    row.action,
    row.target_type ?? null,
    row.target_id ?? null,
  )
}

/**
 * What the viewer may know of: events of projects they can see, pushes and comments on code only where they can read the
 * code too. Events outside of projects are of their author alone.
 */
function visible(viewer: Viewer): Condition {
  if (viewer.actor.is_admin) return sql<SqlBool>`1`
  // Whoever sees a project by its visibility alone; an external member of an internal one does not.
  const isOpen = viewer.actor.external ? sql`p.visibility = 'public'` : sql`p.visibility <> 'private'`
  const isOpenCode = sql`(p.repository_access_level = 'enabled' AND ${isOpen})`
  const code = sql`(${isOpenCode} OR (p.repository_access_level <> 'disabled' AND ${projectsOfMember(viewer, REPORTER, 'check')}))`
  const isOfCode = sql`(e.action = 'pushed' OR coalesce(e.target_type, '') IN ('Note', 'DiffNote', 'DiscussionNote'))`
  return sql<SqlBool>`((e.project_id IS NULL AND e.author_id = ${viewer.actor.id})
    OR EXISTS (SELECT 1 FROM projects p WHERE p.id = e.project_id AND ${visibleProjects(viewer, 'check')}
      AND (NOT ${isOfCode} OR ${code})))`
}

function conditions(viewer: Viewer, filter: EventFilter): Condition[] {
  const parts: Condition[] = []
  if (filter.author_id !== undefined) parts.push(sql<SqlBool>`e.author_id = ${filter.author_id}`)
  if (filter.project_id !== undefined) parts.push(sql<SqlBool>`e.project_id = ${filter.project_id}`)
  if (filter.of_member) {
    const mine = sql`SELECT p.id FROM projects p WHERE ${projectsOfMember(viewer)}`
    parts.push(sql<SqlBool>`(e.author_id = ${viewer.actor.id} OR e.project_id IN (${mine}))`)
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
  const from = sql`FROM activity_events e WHERE ${sql.join(conditions(viewer, filter), sql` AND `)}`
  const direction = sql.raw(page.sort)
  const query = sql<EventRow>`SELECT e.* ${from} ORDER BY e.id ${direction} LIMIT ${page.limit} OFFSET ${page.offset}`
  return { rows: selectAll(db, query), total: boundedCount(db, sql`SELECT e.id ${from}`) }
}
