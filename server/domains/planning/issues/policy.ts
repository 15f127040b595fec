import type { Ctx } from '../../../ctx.ts'
import type { Actor } from '../../../policy/actor.ts'
import { abilitiesOn, hasAbility } from '../../../policy/ability.ts'
import { DEVELOPER, GUEST, OWNER, REPORTER } from '../../../policy/levels.ts'
import { project, type Project } from '../../projects/index.ts'
import type { IssueRow } from './issue.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'

/** Abilities for the issues of a project. `issue.ts` and `canUpdate` decide about a single issue. */
export const abilities = abilitiesOn(project, {
  read_issue: { from: GUEST, feature: 'issues', public: true },
  create_issue: { from: GUEST, feature: 'issues', public: true, when: isUser },
  /** To set labels, a milestone, assignees and other metadata of a new issue. */
  set_issue_metadata: { from: GUEST, feature: 'issues', when: isUser },
  /** To try to update an issue. Then `canUpdate` decides about the issue. */
  change_issue: { from: GUEST, feature: 'issues', public: true, when: isUser },
  /** To update the issues of others, and to set their metadata. */
  admin_issue: { from: REPORTER, feature: 'issues', when: isUser },
  /** To comment on an issue, to subscribe to it and to award emoji. */
  comment_issue: { from: GUEST, feature: 'issues', public: true, when: isUser },
  /** To comment on an issue with a locked discussion. */
  comment_locked_issue: { from: GUEST, feature: 'issues', when: isUser },
  /** To choose the creation time and IID of an issue, as imports do. */
  backdate_issue: { from: OWNER, feature: 'issues', when: isUser },
  /** To resolve threads of others in merge requests: the rule is that of `merge_requests/policy.ts`. */
  resolve_in_requests: { from: DEVELOPER, feature: 'merge_requests', when: isUser },
  delete_issue: { from: OWNER, feature: 'issues', when: isUser },
})

/** Whether the actor may update the issue: its author, its assignees and reporters of the project. */
export function canUpdate(ctx: Ctx, target: Project, issue: IssueRow, isAssignee: boolean): boolean {
  const isOwn = ctx.actor.kind === 'user' && (ctx.actor.id === issue.author_id || isAssignee)
  const ability = isOwn ? abilities.change_issue : abilities.admin_issue
  return hasAbility(ctx, project, ability, target, true)
}

/** Whether the actor may set the metadata of the project's issues. */
export function canAdmin(ctx: Ctx, target: Project): boolean {
  return hasAbility(ctx, project, abilities.admin_issue, target, true)
}
