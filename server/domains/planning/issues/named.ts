import type { Ctx } from '../../../ctx.ts'
import { issuableMeant } from '../issuables/cross-references.ts'
import { referencesIn, type TextReference } from '../issuables/text-references.ts'
import { projectById, type Project } from '../../projects/index.ts'
import type { IssueRow } from './issue.ts'
import * as store from './store.ts'

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
