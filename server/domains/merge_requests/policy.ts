import type { Ctx } from '../../ctx.ts'
import { fail } from '../../lib/fail.ts'
import { abilitiesOn, canRead, hasAbility } from '../../policy/ability.ts'
import type { Actor } from '../../policy/actor.ts'
import { DEVELOPER, GUEST, MINIMAL, OWNER, REPORTER, MAINTAINER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { onBehalfOf } from '../planning/index.ts'
import {
  abilities as projectAbilities,
  project as scope,
  type Project,
  protectionsOf,
} from '../projects/index.ts'
import { allows, protecting, pusherOf } from '../repository/index.ts'
import type { ApprovalState } from './approvals/state.ts'
import type { MergeRequestRow } from './types.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'

/** Abilities for the merge requests of a project. `canUpdate` decides about a single one. */
export const abilities = abilitiesOn(scope, {
  /** To read merge requests. Callers must be signed in, also for public projects (spec rest-api "Merge requests"). */
  read_merge_request: { from: REPORTER, feature: 'merge_requests', public: true, signedIn: true },
  /** To create merge requests in the target project. The source project requires `push_code`. */
  create_merge_request: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  /** To try to update a merge request. Then `canUpdate` decides about the merge request. */
  change_merge_request: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  /** To subscribe to a merge request and to unsubscribe. */
  subscribe_merge_request: {
    from: REPORTER,
    feature: 'merge_requests',
    public: true,
    archived: true,
    when: isUser,
  },
  /** To update the merge requests of others. */
  update_merge_request: { from: DEVELOPER, feature: 'merge_requests', when: isUser },
  /** To comment on a merge request. */
  comment_merge_request: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  /** To comment on a merge request with a locked discussion. */
  comment_locked_merge_request: { from: GUEST, feature: 'merge_requests', when: isUser },
  /** To try a merge or rebase, or to cancel an automatic merge. Then the protections of the branches decide. */
  accept_merge_request: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  delete_merge_request: { from: OWNER, feature: 'merge_requests', when: isUser },
  // Abilities for the approvals of a project. `canApprove` decides about a single merge request.
  read_approvals: {
    from: REPORTER,
    feature: 'merge_requests',
    public: true,
    signedIn: true,
    when: isUser,
  },
  /** To try to approve. */
  approve_merge_request: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  /** To approve without being an approver of a rule. */
  approve_without_rule: { from: DEVELOPER, feature: 'merge_requests', when: isUser },
  /** To try to change the rules of a merge request. Then `canUpdate` decides about the merge request. */
  change_approval_rules: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  manage_approvals: { from: MAINTAINER, feature: 'merge_requests', when: isUser },
})

/** Abilities for the merge requests in a group. The list then shows only those of projects that the actor may read. */
export const groupAbilities = abilitiesOn(group, {
  read_group_merge_requests: { from: MINIMAL, public: true, signedIn: true },
})

/** Whether the actor may update the merge request: its author, its assignees and developers of the project. */
export function canUpdate(
  ctx: Ctx,
  target: Project,
  request: MergeRequestRow,
  isAssignee: boolean = false,
): boolean {
  const isOwn = ctx.actor.kind === 'user' && (ctx.actor.id === request.author_id || isAssignee)
  if (isOwn) return hasAbility(ctx, scope, abilities.change_merge_request, target, true)
  return hasAbility(ctx, scope, abilities.update_merge_request, target, true)
}

/** Returns the users of a list who may read the merge requests of a project, each once. */
export function usersWhoMayRead(ctx: Ctx, project: Project, ids: readonly number[]): number[] {
  return [...new Set(ids)].filter((id) => {
    const userCtx = onBehalfOf(ctx, id)
    if (!userCtx) return false
    const isVisible =
      userCtx.actor.is_admin || scope.openTo(userCtx.actor, project) || scope.roleOf(userCtx, project) > 0
    return isVisible && hasAbility(userCtx, scope, abilities.read_merge_request, project)
  })
}

/** Whether the actor may merge into a branch: they may push code, and protections of the branch allow it. */
export function mayMergeInto(ctx: Ctx, project: Project, branch: string): boolean {
  if (!hasAbility(ctx, scope, projectAbilities.read_code, project)) return false
  if (project.archived) return false
  const matching = protecting(protectionsOf(ctx.db, project.id), branch)
  const pusher = pusherOf(ctx, project)
  if (matching.length === 0) return hasAbility(ctx, scope, projectAbilities.push_code, project, true)
  return allows(matching, 'merge', pusher) || allows(matching, 'push', pusher)
}

/**
 * Whether the actor may push to the source branch of a merge request: by push access to its project, or because the
 * author allows collaboration and the actor may merge it.
 */
export function mayPushToSource(
  ctx: Ctx,
  project: Project,
  source: Project,
  request: Pick<MergeRequestRow, 'source_branch' | 'target_branch' | 'allow_collaboration'>,
): boolean {
  if (source.archived) return false
  const matching = protecting(protectionsOf(ctx.db, source.id), request.source_branch)
  if (matching.length > 0) return allows(matching, 'push', pusherOf(ctx, source))
  if (hasAbility(ctx, scope, projectAbilities.push_code, source, true)) return true
  return mayPushAsCollaborator(ctx, { project, source, request })
}

/** Whether `allow_collaboration` lets the actor push: they can read the fork and may merge the merge request. */
export function mayPushAsCollaborator(
  ctx: Ctx,
  from: {
    readonly project: Project
    readonly source: Project
    readonly request: Pick<MergeRequestRow, 'target_branch' | 'allow_collaboration'>
  },
): boolean {
  const { project, source, request } = from
  if (!request.allow_collaboration || !canRead(ctx, scope, source)) return false
  if (!hasAbility(ctx, scope, projectAbilities.read_code, source)) return false
  return mayMergeInto(ctx, project, request.target_branch)
}

/** Throws 403 unless the actor may read the code of the project. */
export function checkMayReadCode(ctx: Ctx, project: Project): void {
  if (!hasAbility(ctx, scope, projectAbilities.read_code, project)) throw fail('forbidden')
}

/**
 * Returns the context for a job that acts as a user. It stays the context of the instance if the user is not active any
 * more.
 */
export function actingAs(ctx: Ctx, userId: number | null): Ctx {
  return onBehalfOf(ctx, userId) ?? ctx
}

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
  if (state.approvals.some((approval) => approval.user_id === actor.id)) return false
  if (!hasAbility(ctx, scope, abilities.approve_merge_request, target.project, true)) return false
  if (state.rules.some((rule) => rule.approver_ids.includes(actor.id))) return true
  return (
    !excluded.has(actor.id) && hasAbility(ctx, scope, abilities.approve_without_rule, target.project, true)
  )
}
