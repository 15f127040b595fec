import type { Actor } from '../../policy/actor.ts'
import { abilitiesOn, type Scope, type FeatureLevel, canRead } from '../../policy/ability.ts'
import { GUEST, MAINTAINER, MINIMAL, OWNER } from '../../policy/levels.ts'
import type { Ctx } from '../../ctx.ts'
import { notFound } from '../../lib/fail.ts'
import { roleOnNamespace } from '../members/index.ts'
import { findNamespace, isOpenTo, movedNamespace } from '../namespaces/index.ts'
import type { Group } from './types.ts'

/** By numeric id or full path; personal namespaces are no groups. */
export function findGroup(ctx: Pick<Ctx, 'db'>, reference: string): Group | undefined {
  const found = findNamespace(ctx, reference)
  return found?.kind === 'group' ? (found as Group) : undefined
}

/** The group that a path names; everything below `/groups/:id` is declared on it. */
export const group: Scope<'group', Group> = {
  name: 'group',
  plural: 'groups',
  param: 'id',
  title: 'Group',
  load: findGroup,
  moved: (ctx, reference) => {
    const id = movedNamespace(ctx.db, reference)
    return id === undefined ? undefined : findGroup(ctx, String(id))
  },
  roleOf: roleOnNamespace,
  openTo: isOpenTo,
  feature: ({ wiki_access_level }, feature) =>
    feature === 'wiki' ? (wiki_access_level as FeatureLevel) : 'enabled',
}

/** A group by id that the actor may know of. Throws `404 Group Not Found`. */
export function groupSeen(ctx: Ctx, id: number): Group {
  const found = findGroup(ctx, String(id))
  if (!found || !canRead(ctx, group, found)) throw notFound('Group')
  return found
}

/** The group directly above, if there is one. */
export function parentOf(ctx: Pick<Ctx, 'db'>, owner: Group): Group | undefined {
  return owner.parent_id === null ? undefined : findGroup(ctx, String(owner.parent_id))
}

const signedIn = (actor: Actor): boolean => actor.kind !== 'anonymous'

/** What the foundation knows to be done with a group; features bring their own. */
export const abilities = abilitiesOn(group, {
  // Who belongs to something below sees that the group is there.
  read_group: { from: MINIMAL, public: true },
  update_group: { from: OWNER },
  delete_group: { from: OWNER },
  transfer_group: { from: OWNER },
  /** To invite other groups, and to send them away. */
  share_group: { from: OWNER },
  /** Maintainers, unless the group leaves it to its owners. */
  create_subgroup: { from: MAINTAINER },
  read_group_members: { from: GUEST, public: true, when: signedIn },
  manage_group_members: { from: OWNER },
  leave_group: { from: MINIMAL, public: true, when: signedIn },
})
