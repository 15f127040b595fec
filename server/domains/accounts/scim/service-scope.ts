import type { Ctx } from '../../../ctx.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { system } from '../../../policy/actor.ts'
import { wrongCredential } from '../../auth/index.ts'
import { findGroup, type Group } from '../../groups/index.ts'
import { forget, setUid } from './service.ts'
import * as tokens from './store.ts'
import { isTokenOf, type ScimUserRow, tokenOf } from './store.ts'

/** The users that an identity provider manages: those of a top-level group, or all of the instance. */
export interface ScimScope {
  readonly group: Group | null
  readonly group_id: number | null
  /** Address of the endpoint, without a final slash. */
  readonly address: string
}

/** The instance as a scope. */
export function instanceScope(ctx: Pick<Ctx, 'config'>): ScimScope {
  return { group: null, group_id: null, address: `${ctx.config.url}/api/scim/v2/application` }
}

/** A top-level group as a scope. */
export function groupScopeOf(ctx: Pick<Ctx, 'config'>, group: Group): ScimScope {
  const address = `${ctx.config.url}/api/scim/v2/groups/${encodeURIComponent(group.full_path)}`
  return { group, group_id: group.id, address }
}

/** A top-level group: only its users can be managed. */
export function topGroup(ctx: Pick<Ctx, 'db'>, path: string): Group | undefined {
  const group = /^\d+$/.test(path) ? undefined : findGroup(ctx, path)
  return group?.parent_id === null ? group : undefined
}

/** The credentials of an identity provider, and the context of its requests. */
export interface Entered {
  readonly ctx: Ctx
  readonly scope: ScimScope
}

/**
 * Authenticates an identity provider by its token. Throws 404 for a missing group and for one without a SCIM token, 401
 * for another token (spec administration 8.2). Without its token, a group that is not public looks like a missing one.
 */
export function enter(ctx: Ctx, path: string | undefined, authorization: string): Entered {
  const group = path === undefined ? undefined : topGroup(ctx, path)
  if (path !== undefined && !group) throw fail('not_found', `Group ${path} not found`)
  const row = tokens.tokenOf(ctx.db, group?.id ?? null)
  if (!row) {
    if (!group) throw fail('not_found', 'Instance does not have SAML SSO configured')
    const reason = group.visibility === 'public' ? 'does not have SAML SSO configured' : 'not found'
    throw fail('not_found', `Group ${path} ${reason}`)
  }
  if (!isTokenOf(ctx, row, authorization)) throw wrongCredential(ctx, authorization, fail('unauthorized'))
  return {
    ctx: { ...ctx, actor: system },
    scope: group ? groupScopeOf(ctx, group) : instanceScope(ctx),
  }
}

/** A top-level group with a SCIM token. Throws 404 for other groups. */
function setUp(ctx: Ctx, group: Group): ScimScope {
  if (group.parent_id !== null || !tokenOf(ctx.db, group.id)) throw notFound()
  return groupScopeOf(ctx, group)
}

/** One page of the identities of a group. Throws 404 for a group without a SCIM token. */
export function listIdentities(ctx: Ctx, group: Group, paging: { limit: number; offset: number }) {
  return tokens.list(ctx.db, setUp(ctx, group).group_id, undefined, paging)
}

/** The identity with this external UID. Throws 404 without one, and for a group without a SCIM token. */
export function findIdentity(ctx: Ctx, group: Group, uid: string): ScimUserRow {
  return identityIn(ctx, setUp(ctx, group), uid)
}

/** The identity with this external UID in a scope. Throws 404 without one. */
function identityIn(ctx: Ctx, scope: ScimScope, uid: string): ScimUserRow {
  const row = tokens.byUid(ctx.db, scope.group_id, uid)
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
  return tokens.list(ctx.db, group?.id ?? null, undefined, paging)
}

/** Deletes an identity of a group or of the instance. Throws 404. */
export function removeFrom(ctx: Ctx, group: Group | null, uid: string): void {
  const scope = group ? groupScopeOf(ctx, group) : instanceScope(ctx)
  forget(ctx, scope, identityIn(ctx, scope, uid))
}
