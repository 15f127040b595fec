import { sql } from 'kysely'
import { jsonList, type Database } from '../../../db/database.ts'
import { table } from '../../../db/table.ts'
import type { IssueRow } from './issue.ts'
import type { Ctx } from '../../../ctx.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { mayReadIn } from '../issuables/store-reading.ts'
import type { Noteable } from '../../discussions/index.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import { abilities } from './policy.ts'
import { selectAll } from '../../../db/lists.ts'
import { readableProjects } from '../issuables/list/store-where.ts'

/** Returns the issue with an IID in a project. */
export function byIid(db: Database, projectId: number, iid: number): IssueRow | undefined {
  return db.one<IssueRow>('SELECT * FROM issues WHERE project_id = ? AND iid = ?', projectId, iid)
}

export const { byId, insert, update, remove } = table('issues')

/** Returns the issues with these IDs, in any order. */
export function byIds(db: Database, ids: readonly number[]): IssueRow[] {
  return db.many<IssueRow>('SELECT * FROM issues WHERE id IN (SELECT value FROM json_each(?))', jsonList(ids))
}

/** Returns the full paths of projects, by ID. */
export function projectPaths(db: Database, ids: readonly number[]): Map<number, string> {
  const rows = db.many<{ id: number; path: string }>(
    `SELECT p.id, n.full_path || '/' || p.path AS path FROM projects p JOIN namespaces n ON n.id = p.namespace_id
     WHERE p.id IN (SELECT value FROM json_each(?))`,
    jsonList([...new Set(ids)]),
  )
  return new Map(rows.map((row) => [row.id, row.path]))
}

/** Counts the open issues that each issue blocks. `CROSS JOIN` makes SQLite read the links first. */
export function blockedCounts(db: Database, ids: readonly number[]): Map<number, number> {
  const rows = db.many<{ id: number; count: number }>(
    `SELECT l.source_id AS id, count(*) AS count FROM issue_links l CROSS JOIN issues t ON t.id = l.target_id
     WHERE l.source_id IN (SELECT value FROM json_each(?)) AND l.link_type = 'blocks' AND +t.state = 'opened'
     GROUP BY l.source_id`,
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row.count]))
}

/** The initial distance between two positions. Moving an issue between two others halves their distance. */
const GAP = 1 << 16

/** Renumbers the positions of all issues of a project, in their current order. */
export function spreadPositions(ctx: Ctx, projectId: number): void {
  ctx.db.exec(
    `UPDATE issues SET relative_position = o.number * ${GAP} FROM (
       SELECT id, row_number() OVER (ORDER BY relative_position ASC NULLS LAST, id ASC) AS number
       FROM issues WHERE project_id = ?) o WHERE issues.id = o.id`,
    projectId,
  )
}

/** Returns the position of an issue. Null if it has none. */
export function positionOf(ctx: Ctx, id: number): number | null {
  const sql = 'SELECT relative_position AS position FROM issues WHERE id = ?'
  return ctx.db.one<{ position: number | null }>(sql, id)!.position
}

/** Returns the position of the next issue below or above a position, or a free position if there is no such issue. */
export function neighborPosition(
  ctx: Ctx,
  { projectId, id, position }: { projectId: number; id: number; position: number },
  side: 'below' | 'above',
): number {
  const [aggregate, sign, fallback] =
    side === 'below' ? ['max', '<', position - 2 * GAP] : ['min', '>', position + 2 * GAP]
  const row = ctx.db.one<{ position: number | null }>(
    `SELECT ${aggregate}(relative_position) AS position FROM issues
     WHERE project_id = ? AND id <> ? AND relative_position ${sign} ?`,
    projectId,
    id,
    position,
  )
  return row?.position ?? Number(fallback)
}

/** The parameters that name the threads of a merge request that a new issue continues: all open threads, or one. */
export interface ThreadsInput {
  readonly merge_request_to_resolve_discussions_of?: number | undefined
  readonly discussion_to_resolve?: string | undefined
}

interface Thread {
  readonly discussion_id: string
  readonly note_id: number
  readonly author_id: number
  readonly note: string
}

/** The threads to continue, with their merge request. */
export interface ContinuedThreads {
  readonly noteable: Noteable
  readonly threads: readonly Thread[]
}

const FIRST_NOTES = `SELECT n.discussion_id, n.id AS note_id, n.author_id, n.note FROM notes n WHERE n.id IN (
  SELECT min(o.id) FROM notes o WHERE o.noteable_type = 'MergeRequest' AND o.noteable_id = ? AND o.resolvable = 1
    AND o.resolved_at IS NULL GROUP BY o.discussion_id) ORDER BY n.id`

/**
 * Returns the open threads to continue. Undefined if there are none, or if the actor may not resolve them.
 */
export function threadsToContinue(
  ctx: Ctx,
  project: Project,
  input: ThreadsInput,
): ContinuedThreads | undefined {
  const iid = input.merge_request_to_resolve_discussions_of
  if (iid === undefined || !mayReadIn(ctx, project, 'MergeRequest')) return undefined
  const request = ctx.db.one<{ id: number; author_id: number }>(
    'SELECT id, author_id FROM merge_requests WHERE project_id = ? AND iid = ?',
    project.id,
    iid,
  )
  const isAuthor = request?.author_id === ctx.actor.id
  if (!request || !(isAuthor || hasAbility(ctx, scope, abilities.resolve_in_requests, project, true)))
    return undefined
  const noteable = { type: 'MergeRequest', project_id: project.id, id: request.id, sha: null, iid } as const
  const threads = ctx.db
    .many<Thread>(FIRST_NOTES, request.id)
    .filter((thread) => (input.discussion_to_resolve ?? thread.discussion_id) === thread.discussion_id)
  return threads.length === 0 ? undefined : { noteable, threads }
}

/** Counts, for each issue, the merge requests that close it and that the reader may see. */
export function requestCounts(ctx: Ctx, ids: readonly number[]): Map<number, number> {
  const rows = selectAll(
    ctx.db,
    sql<{ id: number; count: number }>`SELECT c.issue_id AS id, count(*) AS count
      FROM merge_request_closing_issues c JOIN merge_requests m ON m.id = c.merge_request_id
      JOIN projects p ON p.id = m.project_id
      WHERE c.issue_id IN (SELECT value FROM json_each(${jsonList(ids)})) AND ${readableProjects(ctx, 'MergeRequest')}
      GROUP BY c.issue_id`,
  )
  return new Map(rows.map((row) => [row.id, row.count]))
}
