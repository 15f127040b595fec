import type { Ctx } from '../../../ctx.ts'
import { abilitiesOn, isAble } from '../../../policy/ability.ts'
import type { Actor } from '../../../policy/actor.ts'
import { DEVELOPER, MAINTAINER, REPORTER } from '../../../policy/levels.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import type { MergeRequestRow } from '../types.ts'
import type { ApprovalState } from './state.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'

/** What can be done about the approvals of a project; who may approve one merge request is decided by `canApprove`. */
export const abilities = abilitiesOn(scope, {
  read_approvals: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  /** Who may try to approve. */
  approve_merge_request: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  /** Whose approval is taken without being asked for. */
  approve_unasked: { from: DEVELOPER, feature: 'merge_requests', when: isUser },
  /** Who may try to change the rules of a merge request; which ones is decided by `canUpdate`. */
  change_approval_rules: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  manage_approvals: { from: MAINTAINER, feature: 'merge_requests', when: isUser },
})

/**
 * Whether the actor may approve (spec administration 12.4): who is asked and has not answered yet, and every developer
 * whom the project does not leave out as author or committer (`excluded`).
 */
export function canApprove(
  ctx: Ctx,
  place: { request: MergeRequestRow; project: Project },
  state: ApprovalState,
  excluded: ReadonlySet<number>,
): boolean {
  const { actor } = ctx
  if (actor.kind !== 'user' || place.request.state !== 'opened') return false
  if (state.approvals.some((one) => one.user_id === actor.id)) return false
  if (!isAble(ctx, scope, abilities.approve_merge_request, place.project, true)) return false
  if (state.rules.some((one) => one.approver_ids.includes(actor.id))) return true
  return !excluded.has(actor.id) && isAble(ctx, scope, abilities.approve_unasked, place.project, true)
}
