import type { Ctx } from '../../../ctx.ts'
import { Failure } from '../../../lib/fail.ts'
import { runShared } from '../issuables/commands/index.ts'
import type { Project } from '../../projects/index.ts'
import { runEach, type Command, type CommandOutcome } from '../../discussions/index.ts'
import { OWN, type IssueCommandTarget } from './own-commands.ts'
import { asIssuable } from './issue.ts'
import { canAdmin } from './policy.ts'
import { mayUpdate } from './find.ts'
import * as store from './store.ts'
import { updateIssue } from './update.ts'

/**
 * Runs the quick actions of a text on an issue, one after the other. Skips actions that do not apply or that the actor
 * may not use.
 */
export function runCommands(
  ctx: Ctx,
  project: Project,
  issueId: number,
  commands: readonly Command[],
): Promise<CommandOutcome> {
  return runEach(commands, async (command) => {
    const target = targetOf(ctx, project, issueId)
    if (!target) return undefined
    try {
      return (await runShared(target, command)) ?? (await OWN[command.name]?.(target, command))
    } catch (error) {
      // An action that the API would refuse does not apply.
      if (error instanceof Failure) return undefined
      throw error
    }
  })
}

function targetOf(ctx: Ctx, project: Project, issueId: number): IssueCommandTarget | undefined {
  const issue = store.byId(ctx.db, issueId)
  if (!issue) return undefined
  return {
    ctx,
    project,
    issue,
    issuable: asIssuable(issue),
    mayUpdate: mayUpdate(ctx, issue, project),
    mayPlan: canAdmin(ctx, project),
    change: (changes) => updateIssue(ctx, project, issue, changes),
  }
}
