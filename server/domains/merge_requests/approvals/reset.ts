import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { writeSystemNote } from '../../discussions/index.ts'
import { project as scope, projectById, type Project } from '../../projects/index.ts'
import { codeOwnersOf } from '../../repository/index.ts'
import { userById, usersById } from '../../users/index.ts'
import { byId as versionById, latestDiff } from '../diffs/store.ts'
import { ApprovalsReset, eventFields } from '../events.ts'
import { mergeRequestNoteable } from '../service-notes.ts'
import { byId } from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { abilities } from '../policy.ts'
import { changedFiles, refreshApprovals } from './refresh.ts'
import { publishNewApprovers } from './service.ts'
import { currentApprovals } from './state.ts'
import * as store from './store.ts'
import { settingsOf, type ApprovalRow } from './store.ts'

/** Why approvals are removed, in the words of the system note. */
type Cause = 'by pushing to the branch' | 'by changing the target branch' | ''

/**
 * Updates approvals after new commits or a new target branch. Removes outdated approvals: all of them or those of the
 * owners of changed files, as the project requires (spec administration 12.4). Then publishes the new approvers.
 */
export async function updateApprovals(
  ctx: Ctx,
  requestId: number,
  cause: Cause,
  actorId: number | null,
): Promise<void> {
  const request = byId(ctx.db, requestId)
  const project = request && projectById(ctx.db, request.project_id)
  if (!request || !project || request.state === 'merged') return
  await refreshApprovals(ctx, request, project)
  const outdatedIds = await outdatedApproverIds(ctx, request, project)
  tx(ctx.db, () => {
    const current = byId(ctx.db, requestId)
    if (!current || current.state === 'merged') return
    // A newer version has its own job.
    if (
      current.latest_diff_id === request.latest_diff_id &&
      current.target_branch === request.target_branch
    ) {
      removeApprovals(ctx, current, outdatedIds, { cause, actorId })
      store.moveApprovals(ctx.db, current)
    }
    publishNewApprovers(ctx, current, actorId)
  })
}

async function outdatedApproverIds(ctx: Ctx, request: MergeRequestRow, project: Project): Promise<number[]> {
  const remaining = new Set(currentApprovals(ctx, request).map((approval) => approval.id))
  const outdated = store.approvalsOf(ctx.db, request.id).filter((approval) => !remaining.has(approval.id))
  const settings = settingsOf(ctx.db, project.id)
  if (outdated.length === 0) return []
  if (settings.reset_approvals_on_push) return outdated.map((approval) => approval.user_id)
  return settings.selective_code_owner_removals ? ownersOfChangedFiles(ctx, request, project, outdated) : []
}

/** Returns the users of these approvals who are code owners of files that changed since their approval. */
async function ownersOfChangedFiles(
  ctx: Ctx,
  request: MergeRequestRow,
  project: Project,
  outdated: readonly ApprovalRow[],
): Promise<number[]> {
  const version = latestDiff(ctx.db, request)
  if (!version) return []
  const files = await changedFiles(ctx, project, version)
  const outdatedIds: number[] = []
  for (const [diffId, approvals] of Map.groupBy(outdated, (approval) => approval.diff_id)) {
    const approvedVersion = diffId === null ? undefined : versionById(ctx.db, diffId)
    const approvedFiles = approvedVersion
      ? await changedFiles(ctx, project, approvedVersion)
      : new Map<string, string>()
    const paths = new Set([...files.keys(), ...approvedFiles.keys()])
    const changed = [...paths].filter((path) => files.get(path) !== approvedFiles.get(path))
    const owners = await codeOwnersOf(ctx, project, `refs/heads/${request.target_branch}`, changed)
    const ids = new Set(owners.flatMap((owner) => owner.eligible_ids))
    outdatedIds.push(...approvals.map((approval) => approval.user_id).filter((id) => ids.has(id)))
  }
  return outdatedIds
}

function removeApprovals(
  ctx: Ctx,
  request: MergeRequestRow,
  userIds: readonly number[],
  { cause, actorId }: { cause: Cause; actorId: number | null },
): void {
  if (userIds.length === 0 || store.deleteApprovals(ctx.db, request.id, userIds) === 0) return
  for (const id of userIds) store.setReviewState(ctx.db, request.id, id, 'unreviewed')
  const users = usersById(ctx.db, userIds)
  const names = userIds.flatMap((id) => users.get(id)?.username ?? []).map((name) => `@${name}`)
  const body = `reset approvals from ${sentenceOf(names)} ${cause}`.trim()
  const author_id = actorId ?? request.author_id
  writeSystemNote(ctx, mergeRequestNoteable(request), { action: 'approvals_reset', body, author_id })
  publish(ctx, ApprovalsReset, { ...eventFields(ctx, request), actor_id: actorId, user_ids: [...userIds] })
}

function sentenceOf(names: readonly string[]): string {
  if (names.length < 2) return names.join('')
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`
}

/**
 * Removes all approvals. Throws 401 if the actor is not the bot of a project or group token, or if the merge request is
 * merged.
 */
export function resetApprovals(ctx: Ctx, request: MergeRequestRow, project: Project): void {
  const { actor } = ctx
  const isBot = actor.kind === 'user' && userById(ctx.db, actor.id)?.kind === 'project_bot'
  if (!isBot || !hasAbility(ctx, scope, abilities.approve_without_rule, project, true))
    throw fail('unauthorized')
  tx(ctx.db, () => {
    const current = byId(ctx.db, request.id)
    if (!current || current.state === 'merged') throw fail('unauthorized')
    const userIds = store.approvalsOf(ctx.db, request.id).map((approval) => approval.user_id)
    removeApprovals(ctx, current, userIds, { cause: '', actorId: actor.id })
  })
}
