import type { Ctx } from '../../ctx.ts'
import { fail } from '../../lib/fail.ts'
import { system } from '../../policy/actor.ts'
import { wrongCredential } from '../auth/index.ts'
import { findGroup, type Group } from '../groups/index.ts'
import * as tokens from './tokens/store.ts'
import { tokenHolds } from './tokens/store.ts'

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
  const found = /^\d+$/.test(path) ? undefined : findGroup(ctx, path)
  return found?.parent_id === null ? found : undefined
}

/** What identity providers authenticate with, and the context of their requests. */
export interface Entered {
  readonly ctx: Ctx
  readonly scope: ScimScope
}

/**
 * Authenticates an identity provider by its token. Throws 404 for a missing group and for one without a SCIM token, 401 for
 * another token (spec administration 8.2). Without its token, a group that is not public looks like a missing one.
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
  if (!tokenHolds(ctx, row, authorization)) throw wrongCredential(ctx, authorization, fail('unauthorized'))
  return {
    ctx: { ...ctx, actor: system },
    scope: group ? groupScopeOf(ctx, group) : instanceScope(ctx),
  }
}
