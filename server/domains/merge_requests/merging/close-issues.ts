import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { closeIssue, mayUpdateIssue, type IssueRow } from '../../planning/index.ts'
import type { Project } from '../../projects/index.ts'
import type { MergeRequestRow } from '../merge-request.ts'

/** Closes the issues that a merge request promised to close, as far as whoever merged may do that. */
export function closeIssues(ctx: Ctx, project: Project, request: MergeRequestRow): void {
  if (!project.autoclose_referenced_issues || request.target_branch !== project.default_branch) return
  for (const issue of promisedIssues(ctx.db, request)) {
    if (issue.state !== 'opened' || !mayUpdateIssue(ctx, issue)) continue
    closeIssue(ctx, issue, { merge_request_id: request.id })
  }
}

/** The issues that a merge request promised to close, by id. */
export function promisedIssues(db: Database, request: Pick<MergeRequestRow, 'id'>): IssueRow[] {
  return db.many<IssueRow>(
    `SELECT * FROM issues WHERE id IN
       (SELECT issue_id FROM merge_request_closing_issues WHERE merge_request_id = ?) ORDER BY id`,
    request.id,
  )
}
