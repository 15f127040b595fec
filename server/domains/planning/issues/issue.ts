import type { Noteable } from '../../discussions/index.ts'
import type { Selectable } from 'kysely'

import type { IssuesTable } from '../../../db/schema.gen.ts'
import { issuableOf, type Issuable } from '../issuables/issuable.ts'
import type { Ctx } from '../../../ctx.ts'

/** An issue as stored. */
export type IssueRow = Selectable<IssuesTable>

/** The types of issues. */
export const ISSUE_TYPES = ['issue', 'incident', 'test_case', 'task'] as const

/** Adds the kind to a row, for code that issues and merge requests share. */
export function asIssuable(row: IssueRow): IssueRow & Issuable {
  return issuableOf('Issue', row)
}

/** Makes the fields that every event about an issue has. */
export function eventOf(ctx: Ctx, issue: IssueRow) {
  return {
    issue_id: issue.id,
    iid: issue.iid,
    project_id: issue.project_id,
    actor_id: ctx.actor.id,
    confidential: issue.confidential,
  }
}

/** Returns the issue as a noteable. */
export function issueNoteable({
  id,
  iid,
  project_id,
}: Pick<IssueRow, 'id' | 'iid' | 'project_id'>): Noteable {
  return { type: 'Issue', project_id, id, sha: null, iid }
}
