import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import type { Scope } from '../../../policy/ability.ts'
import { seesAll } from '../../../policy/actor.ts'
import { GUEST } from '../../../policy/levels.ts'
import { group, type Group } from '../../groups/index.ts'
import { project, type Project } from '../../projects/index.ts'
import { GroupLabel, Label } from './entity.ts'
import { groupOwner, projectOwner, type LabelOwner } from './owner.ts'
import { abilities, groupAbilities } from './policy.ts'

/** What the label endpoints of projects and those of groups differ in. */
export interface LabelOwnerKind {
  readonly scope: Scope
  readonly thing: 'project' | 'group'
  /** First segments of the address, `/projects/:id/labels`. */
  readonly at: `/${string}`
  readonly can: { readonly read: never; readonly subscribe: never; readonly admin: never }
  readonly entity: typeof Label
  owner(ctx: object): LabelOwner
}

/** Throws 403 (401 for nobody) where both features that have labels are only for members and the actor is none. */
export function checkOpen(ctx: Ctx, owner: Project): void {
  const isOpen = [owner.issues_access_level, owner.merge_requests_access_level].includes('enabled')
  if (isOpen || seesAll(ctx.actor) || project.roleOf(ctx, owner) >= GUEST) return
  throw fail(ctx.actor.kind === 'anonymous' ? 'unauthorized' : 'forbidden')
}

/** Labels of projects. */
export const ofProjects: LabelOwnerKind = {
  scope: project as unknown as Scope,
  thing: 'project',
  at: '/projects/:id/labels',
  can: {
    read: abilities.read_label as never,
    subscribe: abilities.subscribe_label as never,
    admin: abilities.admin_label as never,
  },
  entity: Label,
  owner: (ctx) => {
    const loaded = ctx as Ctx & { readonly project: Project }
    checkOpen(loaded, loaded.project)
    return projectOwner(loaded.project)
  },
}

/** Labels of groups. */
export const ofGroups: LabelOwnerKind = {
  scope: group as unknown as Scope,
  thing: 'group',
  at: '/groups/:id/labels',
  can: {
    read: groupAbilities.read_group_label as never,
    subscribe: groupAbilities.subscribe_group_label as never,
    admin: groupAbilities.admin_group_label as never,
  },
  entity: GroupLabel as unknown as typeof Label,
  owner: (ctx) => groupOwner((ctx as { readonly group: Group }).group),
}
