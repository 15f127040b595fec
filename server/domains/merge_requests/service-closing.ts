import type { Ctx } from '../../ctx.ts'
import { readCommits } from '../../git/read/commits.ts'
import {
  closeIssue,
  closingReferences,
  onBehalfOf,
  resolveIssues,
  mayUpdateIssue,
} from '../planning/index.ts'
import { inRepository, type Project } from '../projects/index.ts'
import { commitIdsOf } from './diffs/store.ts'
import * as store from './store.ts'
import type { MergeRequestRow } from './types.ts'

/** The maximum number of commits with messages that are read for closing references. */
const MAX_COMMITS = 100

/** Returns the messages of the commits of the newest version as one text. */
export async function commitMessages(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<string> {
  if (request.latest_diff_id === null) return ''
  const ids = commitIdsOf(ctx.db, request.latest_diff_id, { limit: MAX_COMMITS, offset: 0 })
  if (ids.length === 0) return ''
  const commits = await inRepository(ctx, project, (repo) => readCommits(repo, ids))
  return commits.map((commit) => commit.message).join('\n')
}

/**
 * Saves the issues that a merge request closes when it is merged: those with closing references in its texts or commit
 * messages that its author may see. Only merge requests into the default branch close issues. Call it in the
 * transaction of the change.
 */
export function saveClosingIssues(ctx: Ctx, project: Project, request: MergeRequestRow, messages = ''): void {
  if (request.state === 'merged') return
  store.setClosingIssues(ctx.db, request.id, closingIssueIds(ctx, project, request, messages))
}

function closingIssueIds(ctx: Ctx, project: Project, request: MergeRequestRow, messages: string): number[] {
  if (request.target_branch !== project.default_branch) return []
  const author = onBehalfOf(ctx, request.author_id)
  if (!author) return []
  const text = [request.title, request.description ?? '', messages].join('\n')
  return resolveIssues(author, project, closingReferences(text, ctx.config.url)).map((issue) => issue.id)
}

/** Updates the closing issues of a merge request from its texts and the commits of its newest version. */
export async function refreshClosingIssues(ctx: Ctx, project: Project, id: number): Promise<void> {
  const request = store.byId(ctx.db, id)
  if (!request || request.state === 'merged') return
  const messages = await commitMessages(ctx, project, request)
  const current = store.byId(ctx.db, id)
  if (current) saveClosingIssues(ctx, project, current, messages)
}

/** Closes the open issues that a merged merge request refers to. Skips issues that the actor may not update. */
export function closeIssues(ctx: Ctx, project: Project, request: MergeRequestRow): void {
  if (!project.autoclose_referenced_issues || request.target_branch !== project.default_branch) return
  for (const issue of store.closingIssuesOf(ctx.db, request.id)) {
    if (issue.state !== 'opened' || !mayUpdateIssue(ctx, issue)) continue
    closeIssue(ctx, issue, { merge_request_id: request.id })
  }
}
