import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import { parseQuickActions } from '../../discussions/index.ts'
import { runCommands } from './commands.ts'
import type { IssueRow } from './issue.ts'
import { type GivenIssue, checkTexts } from './given.ts'
import * as store from './store.ts'
import { threadsToContinue } from './store.ts'
import { updateIssue } from './update.ts'
import { tx } from '../../../db/database.ts'
import { type NewIssue, describeThreads, insertIssue, resolveThreads } from './create.ts'

/**
 * Updates an issue as `updateIssue` does. Runs the quick actions of a new description and removes them from the text.
 */
export async function editIssue(
  ctx: Ctx,
  project: Project,
  issue: IssueRow,
  given: GivenIssue,
): Promise<IssueRow> {
  const isNew = given.description && given.description !== issue.description
  const { text, commands } = parseQuickActions(isNew ? given.description! : '')
  if (commands.length === 0) return updateIssue(ctx, project, issue, given)
  updateIssue(ctx, project, issue, { ...given, description: text })
  await runCommands(ctx, project, issue.id, commands)
  return store.byId(ctx.db, issue.id)!
}

/**
 * Creates an issue as the actor and runs the quick actions in its description. Throws 400 for an invalid title or
 * description, 409 for an IID in use. Ignores metadata that the actor may not set; only owners choose the IID and the
 * creation time.
 */
export async function createIssue(ctx: Ctx, project: Project, given: NewIssue): Promise<IssueRow> {
  checkTexts(given)
  const { text, commands } = parseQuickActions(given.description ?? '')
  const description = commands.length > 0 ? text : given.description
  const taken = threadsToContinue(ctx, project, given)
  const issue = tx(ctx.db, () => {
    const full = taken && !description ? describeThreads(ctx, project, taken) : description
    const made = insertIssue(ctx, project, { ...given, description: full })
    if (taken) resolveThreads(ctx, project, taken, made)
    return made
  })
  if (commands.length > 0) await runCommands(ctx, project, issue.id, commands)
  return store.byId(ctx.db, issue.id)!
}
