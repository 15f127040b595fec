import type { Ctx } from '../../../ctx.ts'
import type { Scope } from '../../../policy/ability.ts'
import { group, type Group } from '../../groups/index.ts'
import { checkOpen as checkPlanned } from '../labels/twin.ts'
import { project, type Project } from '../../projects/index.ts'
import { groupOwner, projectOwner, type MilestoneOwner } from './owner.ts'
import { abilities, groupAbilities } from './policy.ts'

/** What the milestone endpoints of projects and those of groups differ in. */
export interface Twin {
  readonly scope: Scope
  readonly thing: 'project' | 'group'
  /** First segments of the address, `/projects/:id/milestones`. */
  readonly at: `/${string}`
  readonly can: { readonly read: never; readonly admin: never }
  owner(ctx: object): MilestoneOwner
}

/** Milestones of projects. */
export const ofProjects: Twin = {
  scope: project as unknown as Scope,
  thing: 'project',
  at: '/projects/:id/milestones',
  can: { read: abilities.read_milestone as never, admin: abilities.admin_milestone as never },
  owner: (ctx) => {
    const loaded = ctx as Ctx & { readonly project: Project }
    checkPlanned(loaded, loaded.project)
    return projectOwner(loaded.project)
  },
}

/** Milestones of groups. */
export const ofGroups: Twin = {
  scope: group as unknown as Scope,
  thing: 'group',
  at: '/groups/:id/milestones',
  can: {
    read: groupAbilities.read_group_milestone as never,
    admin: groupAbilities.admin_group_milestone as never,
  },
  owner: (ctx) => groupOwner((ctx as { readonly group: Group }).group),
}
