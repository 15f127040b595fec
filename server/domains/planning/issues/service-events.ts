import type { Ctx } from '../../../ctx.ts'
import type { IssueRow } from './issue.ts'

/** What events about an issue say. */
export function eventOf(ctx: Ctx, issue: IssueRow) {
  return {
    issue_id: issue.id,
    iid: issue.iid,
    project_id: issue.project_id,
    actor_id: ctx.actor.id,
    confidential: issue.confidential,
  }
}
