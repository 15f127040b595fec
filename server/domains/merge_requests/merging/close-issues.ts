import type { Ctx } from '../../../ctx.ts'
import { closeIssue, mayUpdateIssue } from '../../planning/index.ts'
import type { Project } from '../../projects/index.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import * as store from '../store.ts'

/** Closes the issues that a merge request promised to close, as far as whoever merged may do that. */
export function closeIssues(ctx: Ctx, project: Project, request: MergeRequestRow): void {
  if (!project.autoclose_referenced_issues || request.target_branch !== project.default_branch) return
  for (const issue of store.closingIssuesOf(ctx.db, request.id)) {
    if (issue.state !== 'opened' || !mayUpdateIssue(ctx, issue)) continue
    closeIssue(ctx, issue, { merge_request_id: request.id })
  }
}
