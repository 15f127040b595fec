import type { Ctx } from '../../../ctx.ts'
import type { Group } from '../../groups/index.ts'
import type { Project } from '../../projects/index.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import { refreshApprovals } from './refresh.ts'
import { groupsSeen } from './rules/named.ts'
import { mayApprove } from './service.ts'
import { settingsOf } from './settings/store.ts'
import { approvalState, type ApprovalState } from './state.ts'

/** So many who could approve are named. */
const MAX_SUGGESTED = 20

/** How the approvals of a merge request stand, with all that the answer shows. */
export interface ApprovalsView {
  readonly request: MergeRequestRow
  readonly state: ApprovalState
  readonly approved_by: readonly UserBasicRow[]
  /** Who is asked and has not answered. */
  readonly suggested: readonly UserBasicRow[]
  /** Whom the first rule with names names. */
  readonly first: { readonly users: readonly UserBasicRow[]; readonly groups: readonly Group[] } | undefined
  readonly hasApproved: boolean
  readonly canApprove: boolean
  readonly asksForPassword: boolean
}

/** The approvals of a merge request as their answer shows them; looks into git where the database is behind. */
export async function approvalsView(
  ctx: Ctx,
  request: MergeRequestRow,
  project: Project,
): Promise<ApprovalsView> {
  await refreshApprovals(ctx, request, project)
  const state = approvalState(ctx, request, project)
  const approved = state.approvals.map((one) => one.user_id)
  const suggested = suggestedIds(ctx, state, approved)
  const first = state.rules.find((one) => one.rule.rule_type === 'regular')?.rule
  const users = usersById(ctx.db, [...approved, ...suggested, ...(first?.user_ids ?? [])])
  const named = (ids: readonly number[]) => ids.flatMap((id) => users.get(id) ?? [])
  return {
    request,
    state,
    approved_by: named(approved),
    suggested: named(suggested),
    first: first && { users: named(first.user_ids), groups: [...groupsSeen(ctx, first.group_ids).values()] },
    hasApproved: ctx.actor.id !== null && approved.includes(ctx.actor.id),
    canApprove: mayApprove(ctx, request, project),
    asksForPassword: settingsOf(ctx.db, project.id).require_password_to_approve,
  }
}

function suggestedIds(ctx: Ctx, state: ApprovalState, approved: readonly number[]): number[] {
  const waiting = state.rules.filter((one) => !one.approved).flatMap((one) => one.approver_ids)
  const ids = new Set(waiting.filter((id) => id !== ctx.actor.id && !approved.includes(id)))
  return [...ids].slice(0, MAX_SUGGESTED)
}
