import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { closeIssue, issueById, mayUpdateIssue } from '../../issues/index.ts'
import type { Project } from '../../projects/index.ts'
import type { MergeRequestRow } from '../merge-request.ts'

/** Closes the issues that a merge request promised to close, as far as whoever merged may do that. */
export function closeIssues(ctx: Ctx, project: Project, request: MergeRequestRow): void {
  if (project.autoclose_referenced_issues === 0 || request.target_branch !== project.default_branch) return
  for (const id of closingIds(ctx.db, request)) {
    const issue = issueById(ctx.db, id)
    if (issue?.state !== 'opened' || !mayUpdateIssue(ctx, issue)) continue
    closeIssue(ctx, issue, { merge_request_id: request.id })
  }
}

/** Ids of the issues that a merge request promised to close. */
export function closingIds(db: Database, request: Pick<MergeRequestRow, 'id'>): number[] {
  return db
    .many<{ issue_id: number }>(
      'SELECT issue_id FROM merge_request_closing_issues WHERE merge_request_id = ? ORDER BY issue_id',
      request.id,
    )
    .map((row) => row.issue_id)
}
