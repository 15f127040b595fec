import type { Scope } from '../../../policy/ability.ts'
import { group, type Group } from '../../groups/index.ts'
import { groupOwner, projectOwner, type LabelOwner } from '../labels/owner.ts'
import { project, type Project } from '../../projects/index.ts'
import { abilities, groupAbilities } from './policy.ts'

/** What the board endpoints of projects and those of groups differ in. */
export interface Twin {
  readonly scope: Scope
  readonly thing: 'project' | 'group'
  /** First segments of the address, `/projects/:id/boards`. */
  readonly at: `/${string}`
  readonly can: { readonly read: never; readonly admin: never }
  owner(ctx: object): LabelOwner
}

/** Boards of projects. */
export const ofProjects: Twin = {
  scope: project as unknown as Scope,
  thing: 'project',
  at: '/projects/:id/boards',
  can: { read: abilities.read_board as never, admin: abilities.admin_board as never },
  owner: (ctx) => projectOwner((ctx as { readonly project: Project }).project),
}

/** Boards of groups. */
export const ofGroups: Twin = {
  scope: group as unknown as Scope,
  thing: 'group',
  at: '/groups/:id/boards',
  can: { read: groupAbilities.read_group_board as never, admin: groupAbilities.admin_group_board as never },
  owner: (ctx) => groupOwner((ctx as { readonly group: Group }).group),
}
