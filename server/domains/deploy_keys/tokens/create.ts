import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { deployTokenName } from '../../../http/aliases.ts'
import { tokenDigest } from '../../../lib/crypto.ts'
import { invalid } from '../../../lib/fail.ts'
import { DeployTokenCreated } from '../events.ts'
import { event } from './service.ts'
import * as store from './store.ts'
import type { DeployTokenRow, TokenOwner } from './store.ts'

/** What a deploy token may be used for (spec administration 13). */
export const DEPLOY_TOKEN_SCOPES = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_package_registry',
  'write_package_registry',
] as const

/** What a new token is made of. */
export interface DeployTokenInput {
  readonly name: string
  readonly scopes: readonly string[]
  /** ISO time; null for one that does not end. A past one makes a token that has ended, as clients of the API expect. */
  readonly expires_at?: string | null | undefined
  readonly username?: string | null | undefined
}

/** A token just made: the only time that its text is known. */
export interface NewDeployToken {
  readonly row: DeployTokenRow
  readonly token: string
}

function check(given: DeployTokenInput): void {
  const problems: Record<string, string[]> = {}
  if (given.name.trim() === '') problems['name'] = ["can't be blank"]
  if (given.scopes.length === 0) problems['scopes'] = ["can't be blank"]
  if (given.username && !/^[A-Za-z0-9_.+@-]{1,255}$/.test(given.username)) {
    problems['username'] = ["can contain only letters, digits, '_', '-', '+', '@' and '.'"]
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** Makes a deploy token. Throws 400 with every field that cannot stand. */
export function createToken(ctx: Ctx, owner: TokenOwner, given: DeployTokenInput): NewDeployToken {
  check(given)
  const token = ctx.random.token(20)
  return tx(ctx.db, () => {
    const made = store.insert(ctx.db, {
      ...owner,
      name: given.name,
      username: given.username ?? '',
      digest: tokenDigest(token),
      scopes: JSON.stringify([...new Set(given.scopes)]),
      created_by_id: ctx.actor.id,
      expires_at: given.expires_at ?? null,
      created_at: ctx.now,
    })
    const row = given.username ? made : store.name(ctx.db, made.id, deployTokenName(made.id))
    publish(ctx, DeployTokenCreated, event(ctx, row))
    return { row, token }
  })
}
