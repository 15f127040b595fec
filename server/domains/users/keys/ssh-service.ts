import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import { fingerprintsOf, parseSshKey, sshKeyLine } from '../../../lib/ssh/public-key.ts'
import { settingsOf } from '../../settings/index.ts'
import { withUserDetails, type UserDetailRow } from '../store-details.ts'
import { userById, type UserRow } from '../store.ts'
import { SshKeyAdded, SshKeyRemoved } from '../events.ts'
import { expiryProblem, restrictionProblem } from './validation.ts'
import * as store from './ssh-store.ts'
import type { DeployKeyProject, SshKeyRow, SshKeyView } from './ssh-store.ts'

/** The parameters of a new key. */
export interface KeyInput {
  readonly title: string
  readonly key: string
  /** ISO time. Null for a key that does not expire. */
  readonly expires_at?: string | null | undefined
}

/** The columns of a key. */
export type KeyColumns = Pick<
  SshKeyRow,
  'title' | 'key' | 'fingerprint' | 'fingerprint_sha256' | 'expires_at'
>

/**
 * Parses and checks a new SSH key or deploy key. Throws 400 with every invalid field: no valid key, forbidden by the
 * settings, expired, without a title, or in use (spec core 7.2, administration 1.3).
 */
export function checkNewKey(ctx: Ctx, input: KeyInput): KeyColumns {
  const problems: Record<string, string[]> = {}
  const key = parseSshKey(input.key)
  if (input.title.trim() === '') problems['title'] = ["can't be blank"]
  const expires_at = input.expires_at ?? null
  const keyProblems = [
    key ? restrictionProblem(settingsOf(ctx), key) : 'is invalid',
    expiryProblem(settingsOf(ctx), expires_at, ctx.now),
  ].filter((problem) => problem !== undefined)
  if (keyProblems.length > 0) problems['key'] = keyProblems
  if (!key || Object.keys(problems).length > 0) throw invalid(problems)
  const { md5, sha256 } = fingerprintsOf(key.blob)
  if (store.byFingerprint(ctx.db, 'fingerprint_sha256', sha256)) {
    const message = 'has already been taken'
    throw invalid({ fingerprint_sha256: message, fingerprint: message, key: message })
  }
  return {
    title: input.title,
    key: sshKeyLine(key),
    fingerprint: md5,
    fingerprint_sha256: sha256,
    expires_at,
  }
}

/** Adds an SSH key to a user. Throws 400 with every invalid field. */
export function addKey(
  ctx: Ctx,
  owner: UserRow,
  input: KeyInput & { readonly usage_type?: SshKeyRow['usage_type'] | undefined },
): SshKeyView {
  return tx(ctx.db, () => {
    const row = store.insert(ctx.db, {
      ...checkNewKey(ctx, input),
      user_id: owner.id,
      usage_type: input.usage_type ?? 'auth_and_signing',
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    publish(ctx, SshKeyAdded, { key_id: row.id, user_id: owner.id, actor_id: ctx.actor.id })
    return { ...row, owner_name: owner.name }
  })
}

/** Returns an SSH key of a user. Throws `404 Key Not Found`. */
export function getKey(ctx: Pick<Ctx, 'db'>, owner: UserRow, id: number): SshKeyView {
  const row = store.keyOfUser(ctx.db, owner.id, id)
  if (!row) throw notFound('Key')
  return row
}

/** Deletes an SSH key of a user. */
export function removeKey(ctx: Ctx, row: SshKeyRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    const { id: key_id, user_id, key, created_at, updated_at } = row
    const columns = { key, created_at, updated_at }
    publish(ctx, SshKeyRemoved, { key_id, user_id: user_id!, actor_id: ctx.actor.id, ...columns })
  })
}

/** A key with its user, for administrators. */
export interface KeyWithUser {
  readonly key: SshKeyView
  readonly user: UserDetailRow | undefined
  /** The projects that enable the key, if it is a deploy key. */
  readonly projects: readonly DeployKeyProject[] | undefined
}

/** Returns an SSH key or deploy key by its id. Throws `404 Key Not Found`. */
export function keyById(ctx: Pick<Ctx, 'db'>, id: number): KeyWithUser {
  return withUser(ctx, store.byId(ctx.db, id))
}

/**
 * Returns an SSH key or deploy key by its SHA256 or MD5 fingerprint. Throws 400 for an invalid fingerprint, 404 for
 * an unknown one.
 */
export function keyByFingerprint(ctx: Pick<Ctx, 'db'>, fingerprint: string): KeyWithUser {
  const text = fingerprint.trim()
  const sha256 = /^(?:sha256:)?([A-Za-z0-9+/]{43})=?$/i.exec(text)?.[1]
  if (sha256 !== undefined)
    return withUser(ctx, store.byFingerprint(ctx.db, 'fingerprint_sha256', `SHA256:${sha256}`))
  const md5 = /^(?:md5:)?([0-9a-f]{2}(?::[0-9a-f]{2}){15})$/i.exec(text)?.[1]
  if (md5 === undefined) throw fail('bad_request', '400 Bad request - Failed to return the key')
  return withUser(ctx, store.byFingerprint(ctx.db, 'fingerprint', md5.toLowerCase()))
}

function withUser(ctx: Pick<Ctx, 'db'>, key: SshKeyView | undefined): KeyWithUser {
  if (!key) throw notFound('Key')
  const owner = key.user_id ?? key.created_by_id
  const user = owner === null ? undefined : userById(ctx.db, owner)
  return {
    key,
    user: user && withUserDetails(ctx.db, user),
    projects: key.is_deploy_key ? store.projectsOf(ctx.db, key.id) : undefined,
  }
}
