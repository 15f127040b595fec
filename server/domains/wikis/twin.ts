import type { Scope } from '../../policy/ability.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'
import { wikiAbilities } from './policy.ts'
import type { WikiOwner } from './wiki.ts'

/** What the wiki endpoints of projects and those of groups differ in. */
export interface Twin {
  readonly scope: Scope
  readonly thing: 'project' | 'group'
  /** First segments of the address, `/projects/:id`. */
  readonly at: `/${string}`
  readonly can: { readonly read: never; readonly create: never; readonly admin: never }
  ownerOf(ctx: object): WikiOwner
}

function twinOf(thing: 'project' | 'group'): Twin {
  const { read_wiki: read, create_wiki: create, admin_wiki: admin } = wikiAbilities[thing]
  const scope = thing === 'project' ? project : group
  return {
    scope: scope as unknown as Scope,
    thing,
    at: `/${scope.plural}/:id`,
    can: { read, create, admin } as unknown as Twin['can'],
    ownerOf: (ctx) => ({ [thing]: (ctx as Record<string, unknown>)[thing] }),
  }
}

/** The two kinds of owners. */
export const TWINS: readonly Twin[] = [twinOf('project'), twinOf('group')]
