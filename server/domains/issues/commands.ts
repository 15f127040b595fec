import type { Ctx } from '../../ctx.ts'
import { Failure } from '../../lib/fail.ts'
import { assigneeIdsOf, runShared } from '../issuables/index.ts'
import type { Project } from '../projects/index.ts'
import { runEach, type Command, type CommandOutcome } from '../quick_actions/index.ts'
import { OWN, type IssuePlace } from './own-commands.ts'
import { asIssuable } from './issue.ts'
import { canAdmin, canUpdate } from './policy.ts'
import * as store from './store.ts'
import { updateIssue } from './update.ts'

/**
 * Carries out the commands of a text under an issue, one after the other; those that do not apply, or that the actor may
 * not give, are passed over.
 */
export function runCommands(
  ctx: Ctx,
  project: Project,
  issueId: number,
  commands: readonly Command[],
): Promise<CommandOutcome> {
  return runEach(commands, async (command) => {
    const place = placeOf(ctx, project, issueId)
    if (!place) return undefined
    try {
      return (await runShared(place, command)) ?? (await OWN[command.name]?.(place, command))
    } catch (error) {
      // What the API would refuse does not apply here.
      if (error instanceof Failure) return undefined
      throw error
    }
  })
}

function placeOf(ctx: Ctx, project: Project, issueId: number): IssuePlace | undefined {
  const issue = store.byId(ctx.db, issueId)
  if (!issue) return undefined
  const isAssignee = assigneeIdsOf(ctx.db, 'Issue', issue.id).includes(ctx.actor.id ?? 0)
  return {
    ctx,
    project,
    issue,
    issuable: asIssuable(issue),
    mayUpdate: canUpdate(ctx, project, issue, isAssignee),
    mayPlan: canAdmin(ctx, project),
    change: (changes) => updateIssue(ctx, project, issue, changes),
  }
}
