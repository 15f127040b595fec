import type { Ctx } from '../../../ctx.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { system } from '../../../policy/actor.ts'
import { wrongCredential } from '../../auth/index.ts'
import { findGroup, type Group } from '../../groups/index.ts'
import { deleteIdentity, setUid } from './service.ts'
import * as store from './store.ts'
import { isTokenOf, type ScimUserRow, tokenOf, type ScimTokenRow } from './store.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { SCIM_TOKEN_PREFIX } from '../../../lib/aliases.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { ScimTokenChanged } from '../events.ts'

/** The scope of an identity provider: a top-level group, or the instance. */
export interface ScimScope {
  readonly group: Group | null
  readonly group_id: number | null
  /** The base URL of the endpoints, without a trailing slash. */
  readonly address: string
}

/** Returns the instance as a scope. */
export function instanceScope(ctx: Pick<Ctx, 'config'>): ScimScope {
  return { group: null, group_id: null, address: `${ctx.config.url}/api/scim/v2/application` }
}

/** Returns a top-level group as a scope. */
export function groupScopeOf(ctx: Pick<Ctx, 'config'>, group: Group): ScimScope {
  const address = `${ctx.config.url}/api/scim/v2/groups/${encodeURIComponent(group.full_path)}`
  return { group, group_id: group.id, address }
}

/** Returns a top-level group by its path; undefined for other groups, which have no SCIM. */
export function findTopLevelGroup(ctx: Pick<Ctx, 'db'>, path: string): Group | undefined {
  const group = /^\d+$/.test(path) ? undefined : findGroup(ctx, path)
  return group?.parent_id === null ? group : undefined
}

/** The context and the scope of a request of an identity provider. */
export interface ScimAccess {
  readonly ctx: Ctx
  readonly scope: ScimScope
}

/**
 * Authenticates an identity provider by its token. Throws 404 for an unknown group and for one without a SCIM token,
 * 401 for a wrong token (spec administration 8.2). The error for a group without a SCIM token does not reveal whether
 * a group that is not public exists.
 */
export function authenticateProvider(ctx: Ctx, path: string | undefined, authorization: string): ScimAccess {
  const group = path === undefined ? undefined : findTopLevelGroup(ctx, path)
  if (path !== undefined && !group) throw fail('not_found', `Group ${path} not found`)
  const row = store.tokenOf(ctx.db, group?.id ?? null)
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

/** Returns the scope of a top-level group with a SCIM token. Throws 404 for other groups. */
function configuredScope(ctx: Ctx, group: Group): ScimScope {
  if (group.parent_id !== null || !tokenOf(ctx.db, group.id)) throw notFound()
  return groupScopeOf(ctx, group)
}

/** Returns one page of the identities of a group. Throws 404 for a group without a SCIM token. */
export function listIdentities(ctx: Ctx, group: Group, paging: { limit: number; offset: number }) {
  return store.list(ctx.db, configuredScope(ctx, group).group_id, undefined, paging)
}

/** Returns the identity with an external UID. Throws 404 for an unknown one, and for a group without a SCIM token. */
export function findIdentity(ctx: Ctx, group: Group, uid: string): ScimUserRow {
  return identityIn(ctx, configuredScope(ctx, group), uid)
}

/** Returns the identity with an external UID in a scope. Throws 404 for an unknown one. */
function identityIn(ctx: Ctx, scope: ScimScope, uid: string): ScimUserRow {
  const row = store.byUid(ctx.db, scope.group_id, uid)
  if (!row) throw notFound()
  return row
}

/** Changes the external UID of an identity. Throws 404 for an unknown identity, 409 if the new UID is taken. */
export function changeIdentity(ctx: Ctx, group: Group, uid: string, newUid: string): void {
  setUid(ctx, configuredScope(ctx, group), findIdentity(ctx, group, uid), newUid)
}

/** Deletes an identity of a group. Throws 404 for an unknown one, and for a group without a SCIM token. */
export function removeIdentity(ctx: Ctx, group: Group, uid: string): void {
  deleteIdentity(ctx, configuredScope(ctx, group), findIdentity(ctx, group, uid))
}

/** Returns one page of the identities of a group or of the instance (null), even without a SCIM token. */
export function listAllIdentities(ctx: Ctx, group: Group | null, paging: { limit: number; offset: number }) {
  return store.list(ctx.db, group?.id ?? null, undefined, paging)
}

/** Deletes an identity of a group or of the instance (null). Throws 404 for an unknown one. */
export function removeAnyIdentity(ctx: Ctx, group: Group | null, uid: string): void {
  const scope = group ? groupScopeOf(ctx, group) : instanceScope(ctx)
  deleteIdentity(ctx, scope, identityIn(ctx, scope, uid))
}

/** A new token with its plain text. The database has only a digest of it. */
interface NewScimToken {
  readonly row: ScimTokenRow
  readonly token: string
}

/** Creates the token of a group or of the instance (null). An earlier token becomes invalid. */
export function createScimToken(ctx: Ctx, groupId: number | null): NewScimToken {
  const token = generateToken(ctx)
  return tx(ctx.db, () => {
    const before = store.tokenOf(ctx.db, groupId)
    if (before) store.removeToken(ctx.db, before.id)
    const row = store.insertToken(ctx.db, {
      group_id: groupId,
      token_digest: tokenDigest(token),
      created_by_id: ctx.actor.id,
      last_used_at: null,
      created_at: ctx.now,
    })
    const action = before ? 'reset' : 'created'
    publish(ctx, ScimTokenChanged, { group_id: groupId, actor_id: ctx.actor.id, action })
    return { row, token }
  })
}

/** Deletes the token of a group or of the instance (null). Provisioned users stay. Throws 404 without a token. */
export function revokeToken(ctx: Ctx, groupId: number | null): void {
  tx(ctx.db, () => {
    const row = store.tokenOf(ctx.db, groupId)
    if (!row) throw notFound()
    store.removeToken(ctx.db, row.id)
    publish(ctx, ScimTokenChanged, { group_id: groupId, actor_id: ctx.actor.id, action: 'revoked' })
  })
}

/** Generates the plain text of a new token. */
function generateToken(ctx: Pick<Ctx, 'random'>): string {
  return SCIM_TOKEN_PREFIX + ctx.random.token(20)
}
