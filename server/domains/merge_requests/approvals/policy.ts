import type { Ctx } from '../../../ctx.ts'
import { abilitiesOn, isAble } from '../../../policy/ability.ts'
import type { Actor } from '../../../policy/actor.ts'
import { DEVELOPER, MAINTAINER, REPORTER } from '../../../policy/levels.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import type { MergeRequestRow } from '../types.ts'
import type { ApprovalState } from './state.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'

/** Abilities for the approvals of a project. `canApprove` decides about a single merge request. */
export const abilities = abilitiesOn(scope, {
  read_approvals: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  /** To try to approve. */
  approve_merge_request: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  /** To approve without being an approver of a rule. */
  approve_unasked: { from: DEVELOPER, feature: 'merge_requests', when: isUser },
  /** To try to change the rules of a merge request; `canUpdate` decides further. */
  change_approval_rules: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  manage_approvals: { from: MAINTAINER, feature: 'merge_requests', when: isUser },
})

/**
 * Whether the actor may approve (spec administration 12.4). Approvers of the rules and developers may approve once,
 * unless the project excludes them as author or committer.
 */
export function canApprove(
  ctx: Ctx,
  target: { request: MergeRequestRow; project: Project },
  state: ApprovalState,
  excluded: ReadonlySet<number>,
): boolean {
  const { actor } = ctx
  if (actor.kind !== 'user' || target.request.state !== 'opened') return false
  if (state.approvals.some((one) => one.user_id === actor.id)) return false
  if (!isAble(ctx, scope, abilities.approve_merge_request, target.project, true)) return false
  if (state.rules.some((one) => one.approver_ids.includes(actor.id))) return true
  return !excluded.has(actor.id) && isAble(ctx, scope, abilities.approve_unasked, target.project, true)
}
