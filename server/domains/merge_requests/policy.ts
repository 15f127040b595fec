import type { Ctx } from '../../ctx.ts'
import { fail } from '../../lib/fail.ts'
import { abilitiesOn, canRead, isAble } from '../../policy/ability.ts'
import type { Actor } from '../../policy/actor.ts'
import { DEVELOPER, GUEST, MINIMAL, OWNER, REPORTER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { inNameOf } from '../planning/index.ts'
import { abilities as projectAbilities, project as scope, type Project } from '../projects/index.ts'
import { allows, protecting, protectionsOf, pusherOf } from '../repository/index.ts'
import type { MergeRequestRow } from './types.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'

const signedIn = (actor: Actor): boolean => actor.kind !== 'anonymous'

/** What can be done with the merge requests of a project; a single one asks `canUpdate` too. */
export const abilities = abilitiesOn(scope, {
  /** Everybody who sees the code, once they said who they are (spec rest-api "Merge requests"). */
  read_merge_request: { from: REPORTER, feature: 'merge_requests', public: true, when: signedIn },
  /** In the project that is merged into; the source asks for `push_code`. */
  create_merge_request: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  /** Who may try to change one; whether this one is decided by `canUpdate`. */
  change_merge_request: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  /** To hear of what happens to one, or no more. */
  subscribe_merge_request: {
    from: REPORTER,
    feature: 'merge_requests',
    public: true,
    archived: true,
    when: isUser,
  },
  /** To change the merge requests of others. */
  update_merge_request: { from: DEVELOPER, feature: 'merge_requests', when: isUser },
  /** To say something below one: as far as the actor reads it. */
  comment_merge_request: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  /** To say something below one whose discussion is locked. */
  comment_locked_merge_request: { from: GUEST, feature: 'merge_requests', when: isUser },
  /** To try a merge or rebase, or to cancel an automatic merge; the branches decide further. */
  accept_merge_request: { from: REPORTER, feature: 'merge_requests', public: true, when: isUser },
  delete_merge_request: { from: OWNER, feature: 'merge_requests', when: isUser },
})

/** What can be done with the merge requests of a group's projects, each of which is asked too. */
export const groupAbilities = abilitiesOn(group, {
  read_group_merge_requests: { from: MINIMAL, public: true, when: signedIn },
})

/** Whether the actor may change this merge request: its author, assignees, and developers of the project. */
export function canUpdate(
  ctx: Ctx,
  target: Project,
  request: MergeRequestRow,
  isAssignee: boolean = false,
): boolean {
  const isOwn = ctx.actor.kind === 'user' && (ctx.actor.id === request.author_id || isAssignee)
  if (isOwn) return isAble(ctx, scope, abilities.change_merge_request, target, true)
  return isAble(ctx, scope, abilities.update_merge_request, target, true)
}

/** Those of some users who may see the merge requests of a project; nobody else is asked to do something with them. */
export function whoMaySee(ctx: Ctx, project: Project, ids: readonly number[]): number[] {
  return [...new Set(ids)].filter((id) => {
    const theirs = inNameOf(ctx, id)
    if (!theirs) return false
    const isVisible =
      theirs.actor.is_admin || scope.openTo(theirs.actor, project) || scope.roleOf(theirs, project) > 0
    return isVisible && isAble(theirs, scope, abilities.read_merge_request, project)
  })
}

/** Whether the actor may merge into a branch of the project: they write code there, and no protection is in the way. */
export function mayMergeInto(ctx: Ctx, project: Project, branch: string): boolean {
  if (!isAble(ctx, scope, projectAbilities.read_code, project)) return false
  if (project.archived) return false
  const holding = protecting(protectionsOf(ctx.db, project.id), branch)
  const pusher = pusherOf(ctx, project)
  if (holding.length === 0) return isAble(ctx, scope, projectAbilities.push_code, project, true)
  return allows(holding, 'merge', pusher) || allows(holding, 'push', pusher)
}

/**
 * Whether the actor may push to the source branch of a merge request: they write code in its project, or its author lets
 * those do so who may merge it.
 */
export function mayPushToSource(
  ctx: Ctx,
  project: Project,
  source: Project,
  request: Pick<MergeRequestRow, 'source_branch' | 'target_branch' | 'allow_collaboration'>,
): boolean {
  if (source.archived) return false
  const holding = protecting(protectionsOf(ctx.db, source.id), request.source_branch)
  if (holding.length > 0) return allows(holding, 'push', pusherOf(ctx, source))
  if (isAble(ctx, scope, projectAbilities.push_code, source, true)) return true
  return collaborates(ctx, { project, source, request })
}

/** Whether a fork is open to the actor by `allow_collaboration`: they read it, and may merge what comes from it. */
export function collaborates(
  ctx: Ctx,
  from: {
    readonly project: Project
    readonly source: Project
    readonly request: Pick<MergeRequestRow, 'target_branch' | 'allow_collaboration'>
  },
): boolean {
  const { project, source, request } = from
  if (!request.allow_collaboration || !canRead(ctx, scope, source)) return false
  if (!isAble(ctx, scope, projectAbilities.read_code, source)) return false
  return mayMergeInto(ctx, project, request.target_branch)
}

/** Throws 403 for whoever may not read the code: they see none of it in a merge request either. */
export function mustReadCode(ctx: Ctx, project: Project): void {
  if (!isAble(ctx, scope, projectAbilities.read_code, project)) throw fail('forbidden')
}

/** The context of a job in the name of whoever it follows from; the instance's own where they may not act any more. */
export function actingAs(ctx: Ctx, userId: number | null): Ctx {
  return inNameOf(ctx, userId) ?? ctx
}
