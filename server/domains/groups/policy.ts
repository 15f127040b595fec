import type { Actor } from '../../policy/actor.ts'
import { abilitiesOn, type Scope, type FeatureLevel, canRead } from '../../policy/ability.ts'
import { GUEST, MAINTAINER, MINIMAL, OWNER } from '../../policy/levels.ts'
import type { Ctx } from '../../ctx.ts'
import { notFound } from '../../lib/fail.ts'
import { roleOnNamespace } from '../members/index.ts'
import { findNamespace, isOpenTo, redirectedNamespace } from '../namespaces/index.ts'
import type { Group } from './types.ts'

/** Returns a group by numeric id or full path; undefined for an unknown group and for a personal namespace. */
export function findGroup(ctx: Pick<Ctx, 'db'>, reference: string): Group | undefined {
  const namespace = findNamespace(ctx, reference)
  return namespace?.kind === 'group' ? (namespace as Group) : undefined
}

/** The scope of all endpoints below `/groups/:id`. */
export const group: Scope<'group', Group> = {
  name: 'group',
  plural: 'groups',
  param: 'id',
  title: 'Group',
  load: findGroup,
  moved: (ctx, reference) => {
    const id = redirectedNamespace(ctx.db, reference)
    return id === undefined ? undefined : findGroup(ctx, String(id))
  },
  roleOf: roleOnNamespace,
  openTo: isOpenTo,
  feature: ({ wiki_access_level }, feature) =>
    feature === 'wiki' ? (wiki_access_level as FeatureLevel) : 'enabled',
}

/** Returns a group by id. Throws `404 Group Not Found` unless the actor may read it. */
export function visibleGroup(ctx: Ctx, id: number): Group {
  const row = findGroup(ctx, String(id))
  if (!row || !canRead(ctx, group, row)) throw notFound('Group')
  return row
}

/** Returns the parent group; undefined for a top-level group. */
export function parentOf(ctx: Pick<Ctx, 'db'>, owner: Group): Group | undefined {
  return owner.parent_id === null ? undefined : findGroup(ctx, String(owner.parent_id))
}

const isSignedIn = (actor: Actor): boolean => actor.kind !== 'anonymous'

/** Abilities on the group itself; features declare their own. */
export const abilities = abilitiesOn(group, {
  // Members of a subgroup or project may see that the group exists.
  read_group: { from: MINIMAL, public: true },
  update_group: { from: OWNER },
  delete_group: { from: OWNER },
  transfer_group: { from: OWNER },
  /** The ability to invite other groups and to remove their shares. */
  share_group: { from: OWNER },
  /** The ability to create subgroups; `subgroup_creation_level` of the group may require owners. */
  create_subgroup: { from: MAINTAINER },
  read_group_members: { from: GUEST, public: true, when: isSignedIn },
  manage_group_members: { from: OWNER },
  leave_group: { from: MINIMAL, public: true, when: isSignedIn },
})
