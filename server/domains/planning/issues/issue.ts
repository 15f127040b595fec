import type { Selectable } from 'kysely'

import type { IssuesTable } from '../../../db/schema.gen.ts'
import { issuableOf, type Issuable } from '../issuables/issuable.ts'
import type { Ctx } from '../../../ctx.ts'

/** An issue as stored. */
export type IssueRow = Selectable<IssuesTable>

/** What an issue can be. */
export const ISSUE_TYPES = ['issue', 'incident', 'test_case', 'task'] as const

/** The same row as what issues and merge requests have in common. */
export function asIssuable(row: IssueRow): IssueRow & Issuable {
  return issuableOf('Issue', row)
}

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
