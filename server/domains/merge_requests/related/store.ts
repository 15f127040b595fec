import { sql, type RawBuilder } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { jsonList } from '../../../db/database.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import { readableProjects, visibleIssues, type IssueRow } from '../../planning/index.ts'
import type { MergeRequestRow, PageRange } from '../types.ts'

function pageOf<Row>(ctx: Ctx, from: RawBuilder<unknown>, page: PageRange): Rows<Row> {
  const query = sql<Row>`SELECT i.* ${from} ORDER BY i.id LIMIT ${page.limit} OFFSET ${page.offset}`
  return { rows: selectAll(ctx.db, query), total: boundedCount(ctx.db, sql`SELECT 1 ${from}`) }
}

const inReadableProject = (ctx: Ctx, kind: 'Issue' | 'MergeRequest') =>
  sql`EXISTS (SELECT 1 FROM projects p WHERE p.id = i.project_id AND ${readableProjects(ctx, kind)})`

/** Lists the issues that a merge request closes when it is merged, if the actor may see them. */
export function closedIssues(ctx: Ctx, request: MergeRequestRow, page: PageRange): Rows<IssueRow> {
  const from = sql`FROM merge_request_closing_issues c JOIN issues i ON i.id = c.issue_id
    WHERE c.merge_request_id = ${request.id} AND ${inReadableProject(ctx, 'Issue')} AND ${visibleIssues(ctx)}`
  return pageOf(ctx, from, page)
}

/** Lists the issues with these IDs and those that a merge request closes, if the actor may see them. */
export function readableIssues(
  ctx: Ctx,
  request: MergeRequestRow,
  ids: readonly number[],
  page: PageRange,
): Rows<IssueRow> {
  const from = sql`FROM issues i WHERE i.id IN (
      SELECT value FROM json_each(${jsonList(ids)})
      UNION SELECT issue_id FROM merge_request_closing_issues WHERE merge_request_id = ${request.id})
    AND ${inReadableProject(ctx, 'Issue')} AND ${visibleIssues(ctx)}`
  return pageOf(ctx, from, page)
}

/** Lists the merge requests that close an issue when they are merged, if the actor may see them. */
export function closingRequests(ctx: Ctx, issueId: number, page: PageRange): Rows<MergeRequestRow> {
  const from = sql`FROM merge_request_closing_issues c JOIN merge_requests i ON i.id = c.merge_request_id
    WHERE c.issue_id = ${issueId} AND ${inReadableProject(ctx, 'MergeRequest')}`
  return pageOf(ctx, from, page)
}

/** Lists the merge requests with these IDs and those that close an issue, if the actor may see them. */
export function readableRequests(
  ctx: Ctx,
  issueId: number,
  ids: readonly number[],
  page: PageRange,
): Rows<MergeRequestRow> {
  const from = sql`FROM merge_requests i WHERE i.id IN (
      SELECT value FROM json_each(${jsonList(ids)})
      UNION SELECT merge_request_id FROM merge_request_closing_issues WHERE issue_id = ${issueId})
    AND ${inReadableProject(ctx, 'MergeRequest')}`
  return pageOf(ctx, from, page)
}

/** Lists the merge requests of a project that contain a commit in their newest version, or were merged by it. */
export function requestsOfCommit(
  ctx: Ctx,
  projectId: number,
  commit: { readonly sha: string; readonly state?: string | undefined },
  page: PageRange,
): Rows<MergeRequestRow> {
  const { sha, state } = commit
  const inState = state === undefined || state === 'all' ? sql`1` : sql`i.state = ${state}`
  const from = sql`FROM merge_requests i WHERE i.id IN (
      SELECT d.merge_request_id FROM merge_request_diff_commits c JOIN merge_request_diffs d ON d.id = c.diff_id
        JOIN merge_requests r ON r.latest_diff_id = d.id WHERE c.sha = ${sha}
      UNION SELECT id FROM merge_requests WHERE merge_commit_sha = ${sha}
      UNION SELECT id FROM merge_requests WHERE squash_commit_sha = ${sha})
    AND +i.project_id = ${projectId} AND ${inState}`
  return pageOf(ctx, from, page)
}
