import type { Ctx } from '../../../ctx.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Group } from '../../groups/index.ts'
import { groupScopeOf, instanceScope, type ScimScope } from '../scope.ts'
import { forget, setUid } from '../service.ts'
import * as store from '../store.ts'
import type { ScimUserRow } from '../store.ts'
import { ofPlace } from '../tokens/store.ts'

/** A group that an identity provider was let in for. Throws 404 for others, and for groups below another. */
function setUp(ctx: Ctx, group: Group): ScimScope {
  if (group.parent_id !== null || !ofPlace(ctx.db, group.id)) throw notFound()
  return groupScopeOf(ctx, group)
}

/** One page of the identities of a group. Throws 404 for a group that was not set up. */
export function listIdentities(ctx: Ctx, group: Group, paging: { limit: number; offset: number }) {
  return store.list(ctx.db, setUp(ctx, group).group_id, undefined, paging)
}

/** Who is called so. Throws 404 for nobody, and for a group that was not set up. */
export function findIdentity(ctx: Ctx, group: Group, uid: string): ScimUserRow {
  return identityIn(ctx, setUp(ctx, group), uid)
}

/** Who is called so at a place. Throws 404 for nobody. */
function identityIn(ctx: Ctx, scope: ScimScope, uid: string): ScimUserRow {
  const row = store.byUid(ctx.db, scope.group_id, uid)
  if (!row) throw notFound()
  return row
}

/** Gives an identity another id. Throws 404, 409 for one that is taken. */
export function changeIdentity(ctx: Ctx, group: Group, uid: string, to: string): void {
  setUid(ctx, setUp(ctx, group), findIdentity(ctx, group, uid), to)
}

/** Forgets an identity. Throws 404. */
export function removeIdentity(ctx: Ctx, group: Group, uid: string): void {
  forget(ctx, setUp(ctx, group), findIdentity(ctx, group, uid))
}

/** One page of the identities of a group or of the instance (null), whether it is still set up or not. */
export function listAll(ctx: Ctx, group: Group | null, paging: { limit: number; offset: number }) {
  return store.list(ctx.db, group?.id ?? null, undefined, paging)
}

/** Forgets an identity of a group or of the instance. Throws 404. */
export function removeFrom(ctx: Ctx, group: Group | null, uid: string): void {
  const scope = group ? groupScopeOf(ctx, group) : instanceScope(ctx)
  forget(ctx, scope, identityIn(ctx, scope, uid))
}
