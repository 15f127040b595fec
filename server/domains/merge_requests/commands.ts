import type { Ctx } from '../../ctx.ts'
import { Failure } from '../../lib/fail.ts'
import { GUEST } from '../../policy/levels.ts'
import { assigneeIdsOf, issuableOf, runShared } from '../planning/index.ts'
import { project as scope, type Project } from '../projects/index.ts'
import { runEach, type Command, type CommandOutcome } from '../discussions/index.ts'
import { editMergeRequest } from './edit.ts'
import { OWN, type RequestCommandTarget } from './own-commands.ts'
import { canUpdate } from './policy.ts'
import * as store from './store.ts'

/**
 * Carries out the commands of a text under a merge request, one after the other; those that do not apply, or that the
 * actor may not give, are passed over. `sha` is the head that a merge is meant for.
 */
export function runRequestCommands(
  ctx: Ctx,
  project: Project,
  requestId: number,
  commands: readonly Command[],
  given: { readonly sha?: string | undefined } = {},
): Promise<CommandOutcome> {
  return runEach(commands, async (command) => {
    const target = targetOf(ctx, project, requestId)
    if (!target) return undefined
    try {
      const shared = await runShared(target, command)
      return shared ?? (await OWN[command.name]?.({ ...target, sha: given.sha }, command))
    } catch (error) {
      // What the API would refuse does not apply here.
      if (error instanceof Failure) return undefined
      throw error
    }
  })
}

function targetOf(ctx: Ctx, project: Project, requestId: number): RequestCommandTarget | undefined {
  const request = store.byId(ctx.db, requestId)
  if (!request) return undefined
  const isAssignee = assigneeIdsOf(ctx.db, 'MergeRequest', request.id).includes(ctx.actor.id ?? 0)
  const mayUpdate = canUpdate(ctx, project, request, isAssignee)
  return {
    ctx,
    project,
    request,
    issuable: issuableOf('MergeRequest', request),
    mayUpdate,
    mayPlan: mayUpdate && (ctx.actor.is_admin || scope.roleOf(ctx, project) >= GUEST),
    sha: undefined,
    change: (changes) => editMergeRequest(ctx, project, request, changes),
  }
}
