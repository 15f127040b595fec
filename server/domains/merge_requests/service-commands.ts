import type { Ctx } from '../../ctx.ts'
import { Failure } from '../../lib/fail.ts'
import { GUEST } from '../../policy/levels.ts'
import {
  runEach,
  type Command,
  type CommandName,
  type CommandOutcome,
  type CommandResult,
} from '../discussions/index.ts'
import { assigneeIdsOf, issuableOf, runShared, usersIn, type CommandTarget } from '../planning/index.ts'
import { project as scope, type Project } from '../projects/index.ts'
import { approve as approveRequest, unapprove as unapproveRequest } from './approvals/service.ts'
import { startRebase } from './merging/rebase.ts'
import { acceptMerge } from './merging/service.ts'
import { canUpdate } from './policy.ts'
import { draftTitle, editMergeRequest, readyTitle } from './service-edit.ts'
import * as store from './store.ts'
import type { MergeRequestRow } from './types.ts'

/**
 * Runs the quick actions of a text on a merge request, one after the other. Skips actions that do not apply or that the
 * actor may not use. `sha` is the expected head for `/merge`.
 */
export function runRequestCommands(
  ctx: Ctx,
  project: Project,
  requestId: number,
  commands: readonly Command[],
  input: { readonly sha?: string | undefined } = {},
): Promise<CommandOutcome> {
  return runEach(commands, async (command) => {
    const target = targetOf(ctx, project, requestId)
    if (!target) return undefined
    try {
      const shared = await runShared(target, command)
      return shared ?? (await EXECUTORS[command.name]?.({ ...target, sha: input.sha }, command))
    } catch (error) {
      // A quick action that the API would refuse does not apply.
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

/** The merge request that quick actions change. */
export interface RequestCommandTarget extends CommandTarget {
  readonly request: MergeRequestRow
  /** The expected head for `/merge`. Undefined for the newest. */
  readonly sha: string | undefined
}
type Executor = (
  target: RequestCommandTarget,
  command: Command,
) => CommandResult | undefined | Promise<CommandResult | undefined>

/** `/draft`: marks the merge request as a draft. */
const draft: Executor = async ({ ctx, project, request, mayUpdate }) => {
  if (!mayUpdate) return undefined
  if (request.draft === 0) await editMergeRequest(ctx, project, request, { title: draftTitle(request.title) })
  return { changes: { wip_event: 'draft' }, message: 'Marked this merge request as a draft.' }
}

/** `/ready`: removes the draft prefix. */
const ready: Executor = async ({ ctx, project, request, mayUpdate }) => {
  const title = readyTitle(request.title)
  if (!mayUpdate || request.draft === 0 || title === '') return undefined
  await editMergeRequest(ctx, project, request, { title })
  return { changes: { wip_event: 'ready' }, message: 'Marked this merge request as ready.' }
}

const reviewers = ({ ctx, request }: RequestCommandTarget): number[] =>
  store.reviewersOf(ctx.db, [request.id]).map((row) => row.user_id)

const names = (users: readonly { readonly username: string }[]): string =>
  users.map((user) => `@${user.username}`).join(', ')

async function setReviewers(
  target: RequestCommandTarget,
  reviewer_ids: readonly number[],
): Promise<number[]> {
  await editMergeRequest(target.ctx, target.project, target.request, { reviewer_ids })
  return reviewers(target)
}

/** `/assign_reviewer @a me`: adds reviewers. */
const assignReviewer: Executor = async (target, { args }) => {
  const users = usersIn(target.ctx, args)
  if (!target.mayPlan || users.length === 0) return undefined
  const current = await setReviewers(target, [...reviewers(target), ...users.map((user) => user.id)])
  const added = users.filter((user) => current.includes(user.id))
  if (added.length === 0) return { message: 'Failed to assign a reviewer because no user was specified.' }
  const noun = added.length === 1 ? 'reviewer' : 'reviewers'
  return { changes: { reviewer_ids: current }, message: `Assigned ${names(added)} as ${noun}.` }
}

/** `/unassign_reviewer @a`: removes reviewers; all of them if no user is given. */
const unassignReviewer: Executor = async (target, { args }) => {
  const before = reviewers(target)
  const removed = usersIn(target.ctx, args).filter((user) => before.includes(user.id))
  if (!target.mayPlan || before.length === 0 || (args !== '' && removed.length === 0)) return undefined
  const ids = removed.map((user) => user.id)
  const current = await setReviewers(target, args === '' ? [] : before.filter((id) => !ids.includes(id)))
  const message = args === '' ? 'Removed all reviewers.' : `Removed reviewer ${names(removed)}.`
  return { changes: { reviewer_ids: current }, message }
}

/** `/reassign_reviewer @a`: replaces the reviewers. */
const reassignReviewer: Executor = async (target, { args }) => {
  const users = usersIn(target.ctx, args)
  if (!target.mayPlan || users.length === 0) return undefined
  const current = await setReviewers(
    target,
    users.map((user) => user.id),
  )
  return { changes: { reviewer_ids: current }, message: `Changed reviewer(s) to ${names(users)}.` }
}

/** `/target_branch main`: changes the target branch. */
const targetBranch: Executor = async ({ ctx, project, request, mayUpdate }, { args }) => {
  if (!mayUpdate || args === '' || args === request.target_branch) return undefined
  const edited = await editMergeRequest(ctx, project, request, { target_branch: args })
  if (edited.target_branch !== args) return undefined
  return { changes: { target_branch: args }, message: `Set target branch to ${args}.` }
}

const approve: Executor = async ({ ctx, project, request }) => {
  await approveRequest(ctx, request, project, { ip: '' })
  return { changes: {}, message: 'Approved the current merge request.' }
}

const unapprove: Executor = ({ ctx, request }) => {
  unapproveRequest(ctx, request)
  return { changes: {}, message: 'Unapproved the current merge request.' }
}

/** `/merge`: merges now, or when the pipeline succeeds. */
const merge: Executor = async ({ ctx, project, request, sha }) => {
  const merged = await acceptMerge(ctx, project, request, {
    sha: sha ?? request.head_sha ?? undefined,
    auto_merge: true,
  })
  const isDone = merged.state === 'merged'
  return {
    changes: { merge: request.head_sha },
    message: isDone
      ? 'Merged this merge request.'
      : 'Scheduled to merge this merge request (Merge when pipeline succeeds).',
  }
}

const rebase: Executor = async ({ ctx, project, request }) => {
  await startRebase(ctx, project, request)
  return { changes: { rebase: true }, message: `Scheduled a rebase of branch ${request.source_branch}.` }
}

/** The quick actions that only merge requests have. */
const EXECUTORS: Partial<Record<CommandName, Executor>> = {
  draft,
  ready,
  assign_reviewer: assignReviewer,
  unassign_reviewer: unassignReviewer,
  reassign_reviewer: reassignReviewer,
  target_branch: targetBranch,
  approve,
  unapprove,
  merge,
  rebase,
}
