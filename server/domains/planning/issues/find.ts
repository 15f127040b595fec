import type { Ctx } from '../../../ctx.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import { maySeeSecret } from '../issuables/reading.ts'
import { type Project, projectById } from '../../projects/index.ts'
import { asIssuable, type IssueRow } from './issue.ts'
import * as store from './store.ts'
import { assigneeIdsOf } from '../issuables/reads.ts'
import { canUpdate } from './policy.ts'
import { issuableMeant } from '../issuables/cross-references.ts'
import { type TextReference, referencesIn } from '../issuables/text-references.ts'

/** Whether the actor, who may read the issues of the project, may read this one. */
export function canSee(ctx: Ctx, project: Project, issue: IssueRow): boolean {
  return maySeeSecret(ctx, project, asIssuable(issue))
}

/** The issue of that number that the actor may see. Throws `404 Not found`. */
export function findIssue(ctx: Ctx, project: Project, iid: number): IssueRow {
  const found = store.byIid(ctx.db, project.id, iid)
  if (!found || !canSee(ctx, project, found)) throw new Failure('not_found', '404 Not found')
  return found
}

/** Whether the actor may change an issue, wherever it is. */
export function mayUpdate(ctx: Ctx, issue: IssueRow, project: Project = projectOf(ctx, issue)): boolean {
  const isAssignee = assigneeIdsOf(ctx.db, 'Issue', issue.id).includes(ctx.actor.id ?? 0)
  return canUpdate(ctx, project, issue, isAssignee)
}

/** Throws 403 unless the actor may change the issue. */
export function checkMayUpdate(ctx: Ctx, project: Project, issue: IssueRow): void {
  if (!mayUpdate(ctx, issue, project)) throw fail('forbidden')
}

/** The issues that references in a text mean, as far as the actor may see them. */
export function issuesMeant(ctx: Ctx, project: Project, references: readonly TextReference[]): IssueRow[] {
  const ids = references.flatMap((one) => {
    const found = one.kind === 'Issue' ? issuableMeant(ctx, project, one) : undefined
    return found ? [found.issuable.id] : []
  })
  return [...new Set(ids)].map((id) => store.byId(ctx.db, id)!)
}

/** The issues that a text names with `#1`, `project#2` or an address. */
export function issuesIn(ctx: Ctx, project: Project, text: string): IssueRow[] {
  return issuesMeant(ctx, project, referencesIn(text, ctx.config.url))
}

/** The project of an issue. */
export function projectOf(ctx: Ctx, issue: Pick<IssueRow, 'project_id'>): Project {
  return projectById(ctx.db, issue.project_id)!
}
