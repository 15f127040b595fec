import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import { assigneeIdsOf } from '../issuables/reads.ts'
import type { Project } from '../../projects/index.ts'
import type { IssueRow } from './issue.ts'
import { projectOf } from './named.ts'
import { canUpdate } from './policy.ts'

/** Whether the actor may change an issue, wherever it is. */
export function mayUpdate(ctx: Ctx, issue: IssueRow, project: Project = projectOf(ctx, issue)): boolean {
  const isAssignee = assigneeIdsOf(ctx.db, 'Issue', issue.id).includes(ctx.actor.id ?? 0)
  return canUpdate(ctx, project, issue, isAssignee)
}

/** Throws 403 unless the actor may change the issue. */
export function checkMayUpdate(ctx: Ctx, project: Project, issue: IssueRow): void {
  if (!mayUpdate(ctx, issue, project)) throw fail('forbidden')
}
