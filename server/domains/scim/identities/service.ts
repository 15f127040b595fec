import type { Ctx } from '../../../ctx.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Group } from '../../groups/index.ts'
import { groupScopeOf, instanceScope, type ScimScope } from '../service-scope.ts'
import { forget, setUid } from '../service.ts'
import * as store from '../store.ts'
import type { ScimUserRow } from '../store.ts'
import { tokenOf } from '../tokens/store.ts'

/** A top-level group with a SCIM token. Throws 404 for other groups. */
function setUp(ctx: Ctx, group: Group): ScimScope {
  if (group.parent_id !== null || !tokenOf(ctx.db, group.id)) throw notFound()
  return groupScopeOf(ctx, group)
}

/** One page of the identities of a group. Throws 404 for a group without a SCIM token. */
export function listIdentities(ctx: Ctx, group: Group, paging: { limit: number; offset: number }) {
  return store.list(ctx.db, setUp(ctx, group).group_id, undefined, paging)
}

/** The identity with this external UID. Throws 404 without one, and for a group without a SCIM token. */
export function findIdentity(ctx: Ctx, group: Group, uid: string): ScimUserRow {
  return identityIn(ctx, setUp(ctx, group), uid)
}

/** The identity with this external UID in a scope. Throws 404 without one. */
function identityIn(ctx: Ctx, scope: ScimScope, uid: string): ScimUserRow {
  const row = store.byUid(ctx.db, scope.group_id, uid)
  if (!row) throw notFound()
  return row
}

/** Changes the external UID of an identity. Throws 404, 409 for one that is taken. */
export function changeIdentity(ctx: Ctx, group: Group, uid: string, to: string): void {
  setUid(ctx, setUp(ctx, group), findIdentity(ctx, group, uid), to)
}

/** Deletes an identity. Throws 404. */
export function removeIdentity(ctx: Ctx, group: Group, uid: string): void {
  forget(ctx, setUp(ctx, group), findIdentity(ctx, group, uid))
}

/** One page of the identities of a group or of the instance (null), also without a SCIM token. */
export function listAll(ctx: Ctx, group: Group | null, paging: { limit: number; offset: number }) {
  return store.list(ctx.db, group?.id ?? null, undefined, paging)
}

/** Deletes an identity of a group or of the instance. Throws 404. */
export function removeFrom(ctx: Ctx, group: Group | null, uid: string): void {
  const scope = group ? groupScopeOf(ctx, group) : instanceScope(ctx)
  forget(ctx, scope, identityIn(ctx, scope, uid))
}
