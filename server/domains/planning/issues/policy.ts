import type { Ctx } from '../../../ctx.ts'
import type { Actor } from '../../../policy/actor.ts'
import { abilitiesOn, isAble } from '../../../policy/ability.ts'
import { DEVELOPER, GUEST, OWNER, REPORTER } from '../../../policy/levels.ts'
import { project, type Project } from '../../projects/index.ts'
import type { IssueRow } from './issue.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'

/** What can be done with the issues of a project; a single one asks `find.ts` and `canUpdate` too. */
export const abilities = abilitiesOn(project, {
  read_issue: { from: GUEST, feature: 'issues', public: true },
  create_issue: { from: GUEST, feature: 'issues', public: true, when: isUser },
  /** To give a new issue labels, a milestone, assignees and the like. */
  set_issue_metadata: { from: GUEST, feature: 'issues', when: isUser },
  /** Who may try to change one; whether this one is decided by `canUpdate`. */
  change_issue: { from: GUEST, feature: 'issues', public: true, when: isUser },
  /** To change the issues of others, and to plan them. */
  admin_issue: { from: REPORTER, feature: 'issues', when: isUser },
  /** To say something below one, to subscribe to it and to give it emoji. */
  comment_issue: { from: GUEST, feature: 'issues', public: true, when: isUser },
  /** To say something below one whose discussion is locked. */
  comment_locked_issue: { from: GUEST, feature: 'issues', when: isUser },
  /** To choose when and under which number an issue was made, as imports do. */
  backdate_issue: { from: OWNER, feature: 'issues', when: isUser },
  /** To resolve threads of merge requests that others began, as merge requests say it too. */
  resolve_in_requests: { from: DEVELOPER, feature: 'merge_requests', when: isUser },
  delete_issue: { from: OWNER, feature: 'issues', when: isUser },
})

/** Whether the actor may change this issue: its author, assignees, and reporters of the project. */
export function canUpdate(ctx: Ctx, target: Project, issue: IssueRow, isAssignee: boolean): boolean {
  const isOwn = ctx.actor.kind === 'user' && (ctx.actor.id === issue.author_id || isAssignee)
  const ability = isOwn ? abilities.change_issue : abilities.admin_issue
  return isAble(ctx, project, ability, target, true)
}

/** Whether the actor may plan the issues of a project. */
export function canAdmin(ctx: Ctx, target: Project): boolean {
  return isAble(ctx, project, abilities.admin_issue, target, true)
}
