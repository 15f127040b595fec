import type { Ctx } from '../../../ctx.ts'
import { isoDate } from '../../../lib/clock.ts'
import { hasAbility } from '../../../policy/ability.ts'
import type { Actor } from '../../../policy/actor.ts'
import { roleOnProject } from '../../members/index.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import { userByCommitEmail, userById, type UserRow } from '../../users/index.ts'
import { abilities } from '../policy.ts'
import type { Rule } from './rules/rule.ts'
import { membersOf } from './rules/store.ts'

function actorOf(user: UserRow): Actor {
  return {
    kind: 'user',
    id: user.id,
    username: user.username,
    name: user.name,
    email: user.email,
    is_admin: user.is_admin,
    external: user.external,
    scopes: null,
    via: 'system',
  }
}

/** Whether a user is a member of a project. */
export function isProjectMember(ctx: Ctx, project: Project, userId: number): boolean {
  const user = userById(ctx.db, userId)
  return user !== undefined && roleOnProject({ ...ctx, actor: actorOf(user) }, project) > 0
}

/** Whether a named user can be an approver: active, and able to read merge requests (spec administration 14.12). */
function canBeApprover(ctx: Ctx, project: Project, userId: number): boolean {
  return ctx.db.remember(`approver:${project.id}:${userId}:${isoDate(ctx.now)}`, () => {
    const user = userById(ctx.db, userId)
    if (user?.state !== 'active') return false
    return hasAbility({ ...ctx, actor: actorOf(user) }, scope, abilities.read_merge_request, project)
  })
}

/**
 * Returns the eligible approvers of each rule: its users and the direct members of its groups, each once (spec 12.2).
 */
export function eligibleApprovers(ctx: Ctx, project: Project, rules: readonly Rule[]): Map<number, number[]> {
  const groups = new Set(rules.flatMap((rule) => rule.group_ids))
  const members = membersOf(ctx.db, [...groups], isoDate(ctx.now))
  const approversOf = (rule: Rule) => {
    const ids = [...rule.user_ids, ...rule.group_ids.flatMap((id) => members.get(id) ?? [])]
    return [...new Set(ids)].filter((id) => canBeApprover(ctx, project, id)).sort((a, b) => a - b)
  }
  return new Map(rules.map((rule) => [rule.id, approversOf(rule)]))
}

/** Returns the users with these commit email addresses. */
export function usersByCommitEmails(ctx: Ctx, emails: readonly string[]): Set<number> {
  const ownerOf = (email: string) =>
    ctx.db.remember(`committer:${email}`, () => userByCommitEmail(ctx, email)?.id ?? null)
  return new Set(emails.flatMap((email) => ownerOf(email) ?? []))
}
