import type { Ctx } from '../../ctx.ts'
import { notFound } from '../../lib/fail.ts'
import { canRead, type FeatureLevel, type Scope } from '../../policy/ability.ts'
import { roleOnNamespace } from '../members/index.ts'
import { findNamespace, isOpenTo, movedNamespace } from '../namespaces/index.ts'
import type { Group } from './group.ts'

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
