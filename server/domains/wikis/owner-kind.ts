import type { Scope } from '../../policy/ability.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'
import { abilities, groupAbilities } from './policy.ts'
import type { WikiOwner } from './wiki.ts'

/** What the wiki endpoints of projects and those of groups differ in. */
export interface WikiOwnerKind {
  readonly scope: Scope
  readonly thing: 'project' | 'group'
  /** First segments of the address, `/projects/:id`. */
  readonly at: `/${string}`
  readonly can: { readonly read: never; readonly create: never; readonly admin: never }
  ownerOf(ctx: object): WikiOwner
}

function kindOf(thing: 'project' | 'group'): WikiOwnerKind {
  const scope = thing === 'project' ? project : group
  const can =
    thing === 'project'
      ? { read: abilities.read_wiki, create: abilities.create_wiki, admin: abilities.admin_wiki }
      : {
          read: groupAbilities.read_group_wiki,
          create: groupAbilities.create_group_wiki,
          admin: groupAbilities.admin_group_wiki,
        }
  return {
    scope: scope as unknown as Scope,
    thing,
    at: `/${scope.plural}/:id`,
    can: can as unknown as WikiOwnerKind['can'],
    ownerOf: (ctx) => ({ [thing]: (ctx as Record<string, unknown>)[thing] }),
  }
}

/** The two kinds of owners. */
export const TWINS: readonly WikiOwnerKind[] = [kindOf('project'), kindOf('group')]
