import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { deployTokenName } from '../../../../lib/aliases.ts'
import { tokenDigest } from '../../../../lib/security/crypto.ts'
import { invalid, notFound } from '../../../../lib/fail.ts'
import type { DeployTokenActor } from '../../../../policy/actor.ts'
import { DeployTokenCreated, DeployTokenRemoved } from '../../events.ts'
import * as store from './store.ts'
import type { DeployTokenRow, TokenOwner } from './store.ts'

/** The scopes of deploy tokens (spec administration 13). */
export const DEPLOY_TOKEN_SCOPES = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_package_registry',
  'write_package_registry',
] as const

/** The fields of a new token. */
interface DeployTokenInput {
  readonly name: string
  readonly scopes: readonly string[]
  /** An ISO 8601 time; null for a token that does not expire. A time in the past creates an expired token. */
  readonly expires_at?: string | null | undefined
  readonly username?: string | null | undefined
}

/** A new token with its text, which is not stored. */
export interface NewDeployToken {
  readonly row: DeployTokenRow
  readonly token: string
}

/** The default username of a token. */
const defaultUsername = (id: number): string => deployTokenName(id)

/** The payload of an event about a token. */
export function event(ctx: Ctx, row: DeployTokenRow) {
  const ownerIds = row.project_id === null ? { group_id: row.namespace_id! } : { project_id: row.project_id }
  return { ...ownerIds, token_id: row.id, actor_id: ctx.actor.id }
}

/** Returns a token of a project or group. Throws `404 Deploy Token Not Found`. */
export function getToken(ctx: Pick<Ctx, 'db'>, owner: TokenOwner, id: number): DeployTokenRow {
  const row = store.one(ctx.db, owner, id)
  if (!row) throw notFound('Deploy Token')
  return row
}

/** Revokes a token. */
export function removeToken(ctx: Ctx, row: DeployTokenRow): void {
  tx(ctx.db, () => {
    // The event precedes the removal, because the audit log reads the name of the token.
    publish(ctx, DeployTokenRemoved, event(ctx, row))
    store.remove(ctx.db, row.id)
  })
}

/** The actor of a deploy token over git. Undefined unless username and token match and the token is active. */
export function deployTokenActor(ctx: Ctx, login: string, token: string): DeployTokenActor | undefined {
  const row = store.byDigest(ctx.db, tokenDigest(token))
  if (!row || row.username !== login || row.revoked) return undefined
  if (row.expires_at !== null && row.expires_at <= ctx.now) return undefined
  ctx.bookkeeping.collect(`deploy-token-used:${row.id}`, store.LAST_USED_SQL, ctx.now, row.id)
  return {
    kind: 'deploy_token',
    id: null,
    token_id: row.id,
    project_id: row.project_id,
    namespace_id: row.namespace_id,
    is_admin: false,
    external: true,
    scopes: new Set(row.scopes),
  }
}

function check(input: DeployTokenInput): void {
  const problems: Record<string, string[]> = {}
  if (input.name.trim() === '') problems['name'] = ["can't be blank"]
  if (input.scopes.length === 0) problems['scopes'] = ["can't be blank"]
  if (input.username && !/^[A-Za-z0-9_.+@-]{1,255}$/.test(input.username)) {
    problems['username'] = ["can contain only letters, digits, '_', '-', '+', '@' and '.'"]
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** Creates a deploy token. Throws 400 with all invalid fields. */
export function createToken(ctx: Ctx, owner: TokenOwner, input: DeployTokenInput): NewDeployToken {
  check(input)
  const token = ctx.random.token(20)
  return tx(ctx.db, () => {
    const created = store.insert(ctx.db, {
      ...owner,
      name: input.name,
      username: input.username ?? '',
      digest: tokenDigest(token),
      scopes: [...new Set(input.scopes)],
      created_by_id: ctx.actor.id,
      expires_at: input.expires_at ?? null,
      created_at: ctx.now,
    })
    const row = input.username ? created : store.setUsername(ctx.db, created.id, defaultUsername(created.id))
    publish(ctx, DeployTokenCreated, event(ctx, row))
    return { row, token }
  })
}
