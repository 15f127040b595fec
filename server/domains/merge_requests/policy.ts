import type { Ctx } from '../../ctx.ts'
import type { Actor } from '../../policy/actor.ts'
import { abilitiesOn, isAble } from '../../policy/ability.ts'
import { DEVELOPER, GUEST, MINIMAL, OWNER, REPORTER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project, type Project } from '../projects/index.ts'
import type { MergeRequestRow } from './merge-request.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'
const signedIn = (actor: Actor): boolean => actor.kind !== 'anonymous'

/** What can be done with the merge requests of a project; a single one asks `canUpdate` too. */
export const abilities = abilitiesOn(project, {
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
  if (isOwn) return isAble(ctx, project, abilities.change_merge_request, target, true)
  return isAble(ctx, project, abilities.update_merge_request, target, true)
}
