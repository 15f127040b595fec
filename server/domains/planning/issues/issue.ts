import { fail, Failure } from '../../../lib/fail.ts'
import type { Noteable } from '../../discussions/index.ts'
import type { Selectable } from 'kysely'
import type { IssuesTable } from '../../../db/schema.gen.ts'
import { type Project, projectById } from '../../projects/index.ts'
import { issuableOf, type Issuable } from '../issuables/issuable.ts'
import type { Ctx } from '../../../ctx.ts'
import { maySeeConfidential } from '../issuables/store-reading.ts'
import { resolveIssuable } from '../issuables/store-references.ts'
import { assigneeIdsOf } from '../issuables/store.ts'
import { type TextReference, referencesIn } from '../issuables/text-references.ts'
import { canUpdate } from './policy.ts'
import * as store from './store.ts'

/** An issue as stored. */
export type IssueRow = Selectable<IssuesTable>

/** The types of issues. */
export const ISSUE_TYPES = ['issue', 'incident', 'test_case', 'task'] as const

/** Adds the kind to a row, for code that handles both issues and merge requests. */
export function asIssuable(row: IssueRow): IssueRow & Issuable {
  return issuableOf('Issue', row)
}

/** Returns the fields that every event about an issue has. */
export function eventFields(ctx: Ctx, issue: IssueRow) {
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

/** Whether an actor who may read the issues of the project may read this one. */
function canSee(ctx: Ctx, project: Project, issue: IssueRow): boolean {
  return maySeeConfidential(ctx, project, asIssuable(issue))
}

/** Finds an issue by its IID. Throws `404 Not found` if the actor may not see it. */
export function findIssue(ctx: Ctx, project: Project, iid: number): IssueRow {
  const issue = store.byIid(ctx.db, project.id, iid)
  if (!issue || !canSee(ctx, project, issue)) throw new Failure('not_found', '404 Not found')
  return issue
}

/** Whether the actor may update an issue, in any project. */
export function mayUpdate(ctx: Ctx, issue: IssueRow, project: Project = projectOf(ctx, issue)): boolean {
  const isAssignee = assigneeIdsOf(ctx.db, 'Issue', issue.id).includes(ctx.actor.id ?? 0)
  return canUpdate(ctx, project, issue, isAssignee)
}

/** Throws 403 unless the actor may update the issue. */
export function checkMayUpdate(ctx: Ctx, project: Project, issue: IssueRow): void {
  if (!mayUpdate(ctx, issue, project)) throw fail('forbidden')
}

/** Returns the issues that references name. Skips issues that the actor may not see. */
export function resolveIssues(ctx: Ctx, project: Project, references: readonly TextReference[]): IssueRow[] {
  const ids = references.flatMap((reference) => {
    const target = reference.kind === 'Issue' ? resolveIssuable(ctx, project, reference) : undefined
    return target ? [target.issuable.id] : []
  })
  return [...new Set(ids)].map((id) => store.byId(ctx.db, id)!)
}

/** Returns the issues that a text names with `#1`, `project#2` or a URL. */
export function issuesIn(ctx: Ctx, project: Project, text: string): IssueRow[] {
  return resolveIssues(ctx, project, referencesIn(text, ctx.config.url))
}

export function projectOf(ctx: Ctx, issue: Pick<IssueRow, 'project_id'>): Project {
  return projectById(ctx.db, issue.project_id)!
}
