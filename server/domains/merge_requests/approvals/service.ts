import type { Ctx } from '../../../ctx.ts'
import { UniqueViolation } from '../../../db/constraints.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, notFound, invalid } from '../../../lib/fail.ts'
import { limitFailures, userByPassword } from '../../auth/index.ts'
import { writeSystemNote } from '../../discussions/index.ts'
import type { Group } from '../../groups/index.ts'
import { inRepository, projectById, type Project, updateProjectRow } from '../../projects/index.ts'
import { userById, usersById, type UserBasicRow } from '../../users/index.ts'
import { followBranchTips } from '../diffs/branches.ts'
import { ApproversAdded, eventFields, MergeRequestApproved, MergeRequestUnapproved } from '../events.ts'
import { mergeRequestNoteable } from '../service-notes.ts'
import { byId } from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { canApprove } from '../policy.ts'
import { refreshApprovals } from './refresh.ts'
import { visibleGroupsById } from './rules/validation.ts'
import { approvalState, excludedApprovers, isApproved, type ApprovalState } from './state.ts'
import * as store from './store.ts'
import { saveApprovers, settingsOf, type ApprovalSettings } from './store.ts'
import { ProjectUpdated } from '../../projects/events.ts'
import type { SettingsView } from './entity.ts'

/** The parameters of an approval. */
export interface ApprovalInput {
  /** The head that was reviewed. */
  readonly sha?: string | undefined
  readonly approval_password?: string | undefined
  /** The client address. Wrong passwords are counted for it. */
  readonly ip: string
}

/**
 * Approves as the actor, and returns the current row. Throws 409 when `sha` is not the head, 401 when the actor may not
 * approve, has approved already, or gives a wrong password (spec core 5.6).
 */
export async function approve(
  ctx: Ctx,
  before: MergeRequestRow,
  project: Project,
  input: ApprovalInput,
): Promise<MergeRequestRow> {
  // Committers, who may not approve, are known only after the version with their commits was made.
  const request = await inRepository(ctx, project, () => followBranchTips(ctx, project, before))
  checkHead(request, input.sha)
  await refreshApprovals(ctx, request, project)
  checkMayApprove(ctx, request, project)
  await checkPassword(ctx, project, input)
  try {
    return tx(ctx.db, () => {
      // The version may have changed while the password was checked.
      const current = byId(ctx.db, request.id)
      if (!current) throw notFound()
      checkHead(current, input.sha ?? request.head_sha ?? undefined)
      checkMayApprove(ctx, current, project)
      const userId = ctx.actor.id!
      // The user may have an outdated approval that a job has not removed yet.
      store.deleteApprovals(ctx.db, request.id, [userId])
      store.insertApproval(ctx.db, current, userId, ctx.now)
      store.setReviewState(ctx.db, request.id, userId, 'reviewed')
      writeNote(ctx, current, 'approved')
      publish(ctx, MergeRequestApproved, {
        ...eventFields(ctx, current),
        user_id: userId,
        is_approved: isApproved(ctx, current, project),
      })
      return current
    })
  } catch (error) {
    throw error instanceof UniqueViolation ? fail('unauthorized') : error
  }
}

function checkHead(request: MergeRequestRow, sha: string | undefined): void {
  if (!sha || sha === request.head_sha) return
  throw fail('conflict', `SHA does not match HEAD of source branch: ${request.head_sha ?? ''}`)
}

function checkMayApprove(ctx: Ctx, request: MergeRequestRow, project: Project): void {
  if (!mayApprove(ctx, request, project)) throw fail('unauthorized')
}

/** Whether the actor may approve the merge request now, according to the stored state. Does not read git. */
export function mayApprove(ctx: Ctx, request: MergeRequestRow, project: Project): boolean {
  const state = approvalState(ctx, request, project)
  const excluded = excludedApprovers(ctx, { request, settings: settingsOf(ctx.db, project.id) })
  return canApprove(ctx, { request, project }, state, excluded)
}

async function checkPassword(
  ctx: Ctx,
  project: Project,
  { approval_password, ip }: ApprovalInput,
): Promise<void> {
  if (!settingsOf(ctx.db, project.id).require_password_to_approve) return
  const user = userById(ctx.db, ctx.actor.id!)!
  if (!approval_password) throw fail('unauthorized')
  await limitFailures(ctx, ip, async () => {
    const account = await userByPassword(ctx, { login: user.username, password: approval_password, ip })
    if (account?.id !== user.id) throw fail('unauthorized')
  })
}

/** Revokes the approval of the actor. Throws 404 if the actor has not approved, or the merge request is merged. */
export function unapprove(ctx: Ctx, request: MergeRequestRow): void {
  tx(ctx.db, () => {
    const current = byId(ctx.db, request.id)
    const userId = ctx.actor.id!
    if (!current || current.state === 'merged') throw notFound()
    const was_approved = isComplete(ctx, current)
    if (store.deleteApprovals(ctx.db, request.id, [userId]) === 0) throw notFound()
    store.setReviewState(ctx.db, request.id, userId, 'unreviewed')
    writeNote(ctx, current, 'unapproved')
    publish(ctx, MergeRequestUnapproved, { ...eventFields(ctx, current), user_id: userId, was_approved })
  })
}

function isComplete(ctx: Ctx, request: MergeRequestRow): boolean {
  const project = projectById(ctx.db, request.project_id)
  return project !== undefined && isApproved(ctx, request, project)
}

function writeNote(ctx: Ctx, request: MergeRequestRow, action: 'approved' | 'unapproved'): void {
  writeSystemNote(ctx, mergeRequestNoteable(request), { action, body: `${action} this merge request` })
}

/**
 * Publishes which users a change made approvers. Call it in the transaction of the change. `actorId` is the user who
 * made the change, if not the actor.
 */
export function publishNewApprovers(
  ctx: Ctx,
  request: MergeRequestRow,
  actorId: number | null = ctx.actor.id,
): void {
  const project = projectById(ctx.db, request.project_id)
  if (!project || request.state !== 'opened') return
  const { rules } = approvalState(ctx, request, project)
  const required = rules.filter((rule) => rule.approvals_required > 0)
  const approverIds = new Set(required.flatMap((rule) => rule.approver_ids))
  const added = saveApprovers(ctx.db, request.id, [...approverIds])
  if (added.length === 0) return
  publish(ctx, ApproversAdded, { ...eventFields(ctx, request), actor_id: actorId, user_ids: added })
}

/** The maximum number of suggested approvers. */
const MAX_SUGGESTED_APPROVERS = 20

/** The approvals of a merge request with everything that the answer shows. */
export interface ApprovalsView {
  readonly request: MergeRequestRow
  readonly state: ApprovalState
  readonly approved_by: readonly UserBasicRow[]
  /** Approvers who have not approved yet. */
  readonly suggested: readonly UserBasicRow[]
  /** The users and groups of the first regular rule. */
  readonly firstRule:
    | { readonly users: readonly UserBasicRow[]; readonly groups: readonly Group[] }
    | undefined
  readonly hasApproved: boolean
  readonly canApprove: boolean
  readonly requiresPassword: boolean
}

/** Loads the approvals of a merge request as the answer shows them. Reads git if the stored state is outdated. */
export async function approvalsView(
  ctx: Ctx,
  request: MergeRequestRow,
  project: Project,
): Promise<ApprovalsView> {
  await refreshApprovals(ctx, request, project)
  const state = approvalState(ctx, request, project)
  const approvedByIds = state.approvals.map((approval) => approval.user_id)
  const suggested = suggestedIds(ctx, state, approvedByIds)
  const first = state.rules.find((rule) => rule.rule.rule_type === 'regular')?.rule
  const users = usersById(ctx.db, [...approvedByIds, ...suggested, ...(first?.user_ids ?? [])])
  const usersWith = (ids: readonly number[]) => ids.flatMap((id) => users.get(id) ?? [])
  return {
    request,
    state,
    approved_by: usersWith(approvedByIds),
    suggested: usersWith(suggested),
    firstRule: first && {
      users: usersWith(first.user_ids),
      groups: [...visibleGroupsById(ctx, first.group_ids).values()],
    },
    hasApproved: ctx.actor.id !== null && approvedByIds.includes(ctx.actor.id),
    canApprove: mayApprove(ctx, request, project),
    requiresPassword: settingsOf(ctx.db, project.id).require_password_to_approve,
  }
}

function suggestedIds(ctx: Ctx, state: ApprovalState, approvedByIds: readonly number[]): number[] {
  const waiting = state.rules.filter((rule) => !rule.approved).flatMap((rule) => rule.approver_ids)
  const ids = new Set(waiting.filter((id) => id !== ctx.actor.id && !approvedByIds.includes(id)))
  return [...ids].slice(0, MAX_SUGGESTED_APPROVERS)
}

/** The changes of settings. Undefined fields stay unchanged. */
interface SettingsInput extends Partial<Record<keyof ApprovalSettings, boolean | undefined>> {
  readonly approvals_before_merge?: number | undefined
}

/** Loads the settings of a project as the answer shows them. */
export function settingsView(ctx: Ctx, project: Project): SettingsView {
  return { project, settings: store.settingsOf(ctx.db, project.id) }
}

/**
 * Updates the settings of a project. Throws 400 for `selective_code_owner_removals` together with
 * `reset_approvals_on_push` (spec administration 12.1).
 */
export function changeSettings(ctx: Ctx, project: Project, input: SettingsInput): SettingsView {
  const { approvals_before_merge, ...switches } = input
  const changes = definedOnly(switches)
  const settings = { ...store.settingsOf(ctx.db, project.id), ...changes }
  if (settings.reset_approvals_on_push && settings.selective_code_owner_removals) {
    if (input.selective_code_owner_removals)
      throw invalid({
        selective_code_owner_removals: 'can only be enabled when reset_approvals_on_push is disabled',
      })
    // If a push removes all approvals, a selective removal has no effect.
    changes.selective_code_owner_removals = false
  }
  return tx(ctx.db, () => {
    if (Object.keys(changes).length > 0) store.saveSettings(ctx.db, project.id, changes)
    if (approvals_before_merge !== undefined)
      updateProjectRow(ctx.db, project.id, { approvals_before_merge, updated_at: ctx.now })
    const changed = Object.keys(input).filter((name) => input[name as keyof SettingsInput] !== undefined)
    publish(ctx, ProjectUpdated, { project_id: project.id, actor_id: ctx.actor.id, changed })
    return settingsView(ctx, projectById(ctx.db, project.id)!)
  })
}

function definedOnly(input: Omit<SettingsInput, 'approvals_before_merge'>): Partial<ApprovalSettings> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
}
