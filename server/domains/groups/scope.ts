import type { Ctx } from '../../ctx.ts'
import type { Scope } from '../../policy/ability.ts'
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
}
