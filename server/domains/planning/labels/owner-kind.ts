import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import type { Ability, Scope } from '../../../policy/ability.ts'
import { seesAll } from '../../../policy/actor.ts'
import { GUEST } from '../../../policy/levels.ts'
import { group, type Group } from '../../groups/index.ts'
import { project, type Project } from '../../projects/index.ts'
import { GroupLabel, Label } from './entity.ts'
import { groupOwner, projectOwner, type PlanningOwner } from '../types-owner.ts'
import { abilities, groupAbilities } from '../policy.ts'

/** The context of a request with its owner, under the name of the owner's scope. */
export type OwnerContext<Name extends string, Owner> = Ctx & { readonly [Key in Name]: Owner }

/** The differences between the label endpoints of projects and of groups. */
export interface LabelOwnerKind<Name extends string, Owner> {
  readonly scope: Scope<Name, Owner>
  readonly noun: 'project' | 'group'
  /** The path of the list of labels, such as `/projects/:id/labels`. */
  readonly path: `/${string}`
  readonly can: {
    readonly read: Ability<Owner>
    readonly subscribe: Ability<Owner>
    readonly admin: Ability<Owner>
  }
  readonly entity: typeof Label
  owner(ctx: OwnerContext<Name, Owner>): PlanningOwner
}

/**
 * Throws 403 (401 for anonymous callers) if issues and merge requests are both for members only and the actor is not a
 * member.
 */
export function checkPlanningAccess(ctx: Ctx, owner: Project): void {
  const isOpen = [owner.issues_access_level, owner.merge_requests_access_level].includes('enabled')
  if (isOpen || seesAll(ctx.actor) || project.roleOf(ctx, owner) >= GUEST) return
  throw fail(ctx.actor.kind === 'anonymous' ? 'unauthorized' : 'forbidden')
}

export const ofProjects: LabelOwnerKind<'project', Project> = {
  scope: project,
  noun: 'project',
  path: '/projects/:id/labels',
  can: {
    read: abilities.read_label,
    subscribe: abilities.subscribe_label,
    admin: abilities.admin_label,
  },
  entity: Label,
  owner: (ctx) => {
    checkPlanningAccess(ctx, ctx.project)
    return projectOwner(ctx.project)
  },
}

export const ofGroups: LabelOwnerKind<'group', Group> = {
  scope: group,
  noun: 'group',
  path: '/groups/:id/labels',
  can: {
    read: groupAbilities.read_group_label,
    subscribe: groupAbilities.subscribe_group_label,
    admin: groupAbilities.admin_group_label,
  },
  entity: GroupLabel as unknown as typeof Label,
  owner: (ctx) => groupOwner(ctx.group),
}
