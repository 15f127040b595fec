import type { Ctx } from '../../ctx.ts'
import { abilitiesOn, type Ability, hasAbility, type Scope } from '../../policy/ability.ts'
import { DEVELOPER, GUEST } from '../../policy/levels.ts'
import { group, type Group } from '../groups/index.ts'
import { project, type Project } from '../projects/index.ts'
import type { WikiOwner } from './types.ts'

/** Abilities on the wiki of a project (spec administration 10.1). */
export const abilities = abilitiesOn(project, {
  read_wiki: { from: GUEST, feature: 'wiki', public: true },
  create_wiki: { from: DEVELOPER, feature: 'wiki' },
  admin_wiki: { from: DEVELOPER, feature: 'wiki' },
})

/** Abilities on the wiki of a group. */
export const groupAbilities = abilitiesOn(group, {
  read_group_wiki: { from: GUEST, feature: 'wiki', public: true },
  create_group_wiki: { from: DEVELOPER, feature: 'wiki' },
  admin_group_wiki: { from: DEVELOPER, feature: 'wiki' },
})

type OwnerAbility = Ability<Project> | Ability<Group>

/** A kind of owner, with the path, scope and abilities of its wiki endpoints. */
export interface WikiOwnerKind {
  readonly name: 'project' | 'group'
  /** First segments of the endpoints' paths, such as `/projects/:id`. */
  readonly prefix: `/${string}`
  readonly scope: Scope<'project', Project> | Scope<'group', Group>
  readonly can: { readonly read: OwnerAbility; readonly create: OwnerAbility; readonly admin: OwnerAbility }
  mayEdit(ctx: Ctx, owner: WikiOwner): boolean
}

/** Projects and groups, which have the same wiki endpoints. */
export const WIKI_OWNERS: readonly WikiOwnerKind[] = [
  {
    name: 'project',
    prefix: '/projects/:id',
    scope: project,
    can: { read: abilities.read_wiki, create: abilities.create_wiki, admin: abilities.admin_wiki },
    mayEdit: (ctx, owner) => hasAbility(ctx, project, abilities.create_wiki, owner.project!, true),
  },
  {
    name: 'group',
    prefix: '/groups/:id',
    scope: group,
    can: {
      read: groupAbilities.read_group_wiki,
      create: groupAbilities.create_group_wiki,
      admin: groupAbilities.admin_group_wiki,
    },
    mayEdit: (ctx, owner) => hasAbility(ctx, group, groupAbilities.create_group_wiki, owner.group!, true),
  },
]

/** The owner that a request's path names. */
export function ownerIn(ctx: { readonly project: Project } | { readonly group: Group }): WikiOwner {
  return 'project' in ctx ? { project: ctx.project } : { group: ctx.group }
}
