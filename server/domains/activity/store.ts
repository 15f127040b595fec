import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, q, type Database } from '../../db/database.ts'
import { boundedCount, selectAll } from '../../db/lists.ts'
import { projectsOfMember, visibleProjects, projectsWithFeature } from '../members/index.ts'
import { TARGETS, type EventRow, type NewEvent } from './types.ts'
import type { Ctx } from '../../ctx.ts'
import { seesAll } from '../../policy/actor.ts'
import { REPORTER, GUEST } from '../../policy/levels.ts'
import { visibleIssues } from '../planning/index.ts'

/** Filters of the feed. */
export interface EventFilter {
  readonly author_id?: number | undefined
  readonly project_id?: number | undefined
  /** Events of the projects that the viewer is a member of, in addition to the viewer's own. */
  readonly of_member?: boolean | undefined
  readonly action?: string | undefined
  readonly target_type?: keyof typeof TARGETS | undefined
  /** The period: `from` is included, `until` is not. */
  readonly from?: string | undefined
  readonly until?: string | undefined
}

/** The order and limits of a page. */
export interface EventPage {
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

export function insert(db: Database, row: NewEvent): void {
  db.run(q.insertInto('activity_events').values(row))
}

/**
 * True if the user's last activity on this target is the same, because an event can be delivered twice. Closing an issue
 * again after it was reopened is another activity.
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

/** Above this number of events, walking the index by time is faster than collecting and sorting all events. */
const MAX_SORTED = 2000

function conditions(viewer: Viewer, filter: EventFilter, walk: boolean): Condition[] {
  const parts: Condition[] = []
  if (filter.author_id !== undefined) parts.push(sql<SqlBool>`e.author_id = ${filter.author_id}`)
  if (filter.project_id !== undefined) parts.push(sql<SqlBool>`e.project_id = ${filter.project_id}`)
  if (filter.of_member) {
    const memberProjects = sql`SELECT p.id FROM projects p WHERE ${projectsOfMember(viewer)}`
    const plus = sql.raw(walk ? '+' : '')
    parts.push(
      sql<SqlBool>`(${plus}e.author_id = ${viewer.actor.id} OR ${plus}e.project_id IN (${memberProjects}))`,
    )
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

/** Returns one page of the feed. */
export function list(db: Database, viewer: Viewer, filter: EventFilter, page: EventPage) {
  const from = (walk: boolean) =>
    sql`FROM activity_events e WHERE ${sql.join(conditions(viewer, filter, walk), sql` AND `)}`
  const total = boundedCount(db, sql`SELECT e.id ${from(false)}`)
  const direction = sql.raw(page.sort)
  const query = sql<EventRow>`SELECT e.* ${from(total > MAX_SORTED)}
    ORDER BY e.created_at ${direction}, e.id ${direction} LIMIT ${page.limit} OFFSET ${page.offset}`
  return { rows: selectAll(db, query), total }
}

/** The events of one day or week. */
export interface EventCounts {
  /** The day (UTC). */
  readonly day: string
  readonly total: number
  readonly pushes: number
  readonly comments: number
  readonly issues: number
  readonly merge_requests: number
}

/** Events that the viewer may see, by day; days without any are left out. */
export function countsByDay(db: Database, viewer: Viewer, filter: EventFilter): EventCounts[] {
  const where = sql.join(conditions(viewer, filter, false), sql` AND `)
  const query = sql<EventCounts>`SELECT day, count(*) AS total, sum(action = 'pushed') AS pushes,
      sum(target_type IS NOT NULL AND target_type IN ${NOTE_TYPES}) AS comments,
      sum(target_type IS 'Issue') AS issues, sum(target_type IS 'MergeRequest') AS merge_requests
    FROM (SELECT substr(e.created_at, 1, 10) AS day, e.action, e.target_type FROM activity_events e WHERE ${where})
    GROUP BY day ORDER BY day`
  return selectAll(db, query)
}

const TITLED = { Issue: 'issues', MergeRequest: 'merge_requests', Snippet: 'snippets' } as const

/** True if noteables of a type have a title. */
export function isTitled(type: string): type is keyof typeof TITLED {
  return Object.hasOwn(TITLED, type)
}

/** Returns the title of an issue, merge request or snippet. */
export function titleOf(db: Database, type: keyof typeof TITLED, id: number | null): string | undefined {
  return db.one<{ title: string }>(`SELECT title FROM ${TITLED[type]} WHERE id = ?`, id)?.title
}

const PLANNING_TABLES = { Issue: 'issues', MergeRequest: 'merge_requests', Milestone: 'milestones' } as const

/** Types of records in the planning domain that the feed contains. */
export type PlanningType = keyof typeof PLANNING_TABLES

/** The columns of an issue, merge request or milestone that the feed stores. */
export interface PlanningRow {
  readonly project_id: number | null
  readonly iid: number
  readonly title: string
}

/** Returns the project, number and title of an issue, merge request or milestone. */
export function planningRow(db: Database, type: PlanningType, id: number): PlanningRow | undefined {
  return db.one<PlanningRow>(`SELECT project_id, iid, title FROM ${PLANNING_TABLES[type]} WHERE id = ?`, id)
}

/** The current number and title of an issue or merge request. */
export interface TargetTitle {
  readonly id: number
  readonly iid: number
  readonly title: string
}

/** Returns the current titles of many issues or merge requests. */
export function titlesByIds(
  db: Database,
  type: 'Issue' | 'MergeRequest',
  ids: readonly number[],
): TargetTitle[] {
  return db.many<TargetTitle>(
    `SELECT id, iid, title FROM ${PLANNING_TABLES[type]} WHERE id IN (SELECT value FROM json_each(?))`,
    jsonList(ids),
  )
}

/** The viewer of the feed, and the time. */
export type Viewer = Pick<Ctx, 'actor' | 'now'>
type Condition = RawBuilder<SqlBool>

/** Types of notes in events: a single note, one in a thread, or one on lines of a diff. */
export const NOTE_TYPES = sql`('Note', 'DiffNote', 'DiscussionNote')`

/** Conditions about the viewer that several queries share. */
interface ViewerConditions {
  readonly code: Condition
  readonly issues: Condition
  readonly requests: Condition
  readonly snippets: Condition
  readonly wiki: Condition
  /** The condition that the issue is not confidential, or that the viewer may read it. */
  readonly readableIssues: Condition
  /** The condition that the viewer is a member of the project and may see internal notes. */
  readonly internalNotes: Condition
  readonly member: Condition
  /** The visibilities of snippets that the viewer may see. */
  readonly snippetVisibilities: RawBuilder<unknown>
  readonly viewerId: number | null
}

function conditionsFor(viewer: Viewer): ViewerConditions {
  const { actor } = viewer
  const internalNotes = seesAll(actor) ? sql<SqlBool>`1` : projectsOfMember(viewer, REPORTER, 'check')
  return {
    code: projectsWithFeature(viewer, 'repository'),
    issues: projectsWithFeature(viewer, 'issues'),
    requests: projectsWithFeature(viewer, 'merge_requests'),
    snippets: projectsWithFeature(viewer, 'snippets'),
    wiki: projectsWithFeature(viewer, 'wiki'),
    readableIssues: visibleIssues(viewer),
    internalNotes,
    member: seesAll(actor) ? sql<SqlBool>`1` : projectsOfMember(viewer, GUEST, 'check'),
    snippetVisibilities:
      actor.kind === 'user' && !actor.external ? sql`('public', 'internal')` : sql`('public')`,
    viewerId: actor.id,
  }
}

/** The condition that the viewer may read the issue with this ID. */
function issueCondition(shared: ViewerConditions, id: RawBuilder<unknown>): Condition {
  return sql<SqlBool>`(${shared.issues} AND EXISTS (SELECT 1 FROM issues i WHERE i.id = ${id} AND ${shared.readableIssues}))`
}

/** Selects snippets of a project: all for members, those that are not private for others. */
function snippetCondition(shared: ViewerConditions, id: RawBuilder<unknown>): Condition {
  return sql<SqlBool>`(${shared.snippets} AND EXISTS (SELECT 1 FROM snippets s WHERE s.id = ${id}
    AND (s.visibility IN ${shared.snippetVisibilities} OR s.author_id = ${shared.viewerId} OR ${shared.member})))`
}

/** Selects notes that are not internal or that a member may see, by their noteable. */
function noteCondition(shared: ViewerConditions): Condition {
  const noteableId = sql.raw('o.noteable_id')
  return sql<SqlBool>`EXISTS (SELECT 1 FROM notes o WHERE o.id = e.target_id AND (o.internal = 0 OR ${shared.internalNotes})
    AND CASE o.noteable_type WHEN 'Commit' THEN ${shared.code} WHEN 'MergeRequest' THEN ${shared.requests}
      WHEN 'Issue' THEN ${issueCondition(shared, noteableId)} ELSE ${snippetCondition(shared, noteableId)} END)`
}

/**
 * Selects events that the viewer may see: events of visible projects, and events about a record only if the viewer may
 * read it now. Only the author sees events outside of projects.
 */
export function visible(viewer: Viewer): Condition {
  if (viewer.actor.is_admin) return sql<SqlBool>`1`
  const shared = conditionsFor(viewer)
  return sql<SqlBool>`((e.project_id IS NULL AND e.author_id = ${viewer.actor.id})
    OR EXISTS (SELECT 1 FROM projects p WHERE p.id = e.project_id AND ${visibleProjects(viewer, 'check')}
      AND CASE WHEN e.action = 'pushed' THEN ${shared.code}
        WHEN e.target_type IN ${NOTE_TYPES} THEN ${noteCondition(shared)}
        WHEN e.target_type = 'Issue' THEN ${issueCondition(shared, sql.raw('e.target_id'))}
        WHEN e.target_type = 'MergeRequest' THEN ${shared.requests}
        WHEN e.target_type = 'WikiPage::Meta' THEN ${shared.wiki}
        WHEN e.target_type = 'Milestone' THEN (${shared.issues} OR ${shared.requests})
        ELSE 1 END))`
}
