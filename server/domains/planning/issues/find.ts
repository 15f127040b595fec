import type { Ctx } from '../../../ctx.ts'
import { Failure } from '../../../lib/fail.ts'
import { maySeeSecret } from '../issuables/reading.ts'
import type { Project } from '../../projects/index.ts'
import { asIssuable, type IssueRow } from './issue.ts'
import * as store from './store.ts'

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
