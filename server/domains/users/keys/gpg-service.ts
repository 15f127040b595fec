import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { invalid, notFound } from '../../../lib/fail.ts'
import { PGP_KEY_HEAD, readPgpKey } from '../../../lib/pgp.ts'
import type { UserRow } from '../store.ts'
import { GpgKeyAdded, GpgKeyRemoved, GpgKeyRevoked } from '../events.ts'
import * as store from './gpg-store.ts'
import type { GpgKeyRow } from './gpg-store.ts'

/** Adds a GPG key to a user. Throws 400 for a key that is invalid or in use. */
export async function addKey(ctx: Ctx, owner: UserRow, armored: string): Promise<GpgKeyRow> {
  const key = await readPgpKey(armored)
  if (!key) throw invalid({ key: `is invalid. A valid public GPG key begins with '${PGP_KEY_HEAD}'` })
  return tx(ctx.db, () => {
    if (store.byFingerprint(ctx.db, key.fingerprint)) {
      const message = 'has already been taken'
      throw invalid({ key: message, fingerprint: message, primary_keyid: message })
    }
    const row = store.insert(ctx.db, {
      user_id: owner.id,
      key: armored.trim(),
      fingerprint: key.fingerprint,
      primary_keyid: key.key_id,
      uids: [...key.user_ids],
      subkeys: [...key.subkey_ids],
      created_at: ctx.now,
    })
    publish(ctx, GpgKeyAdded, { key_id: row.id, user_id: owner.id, actor_id: ctx.actor.id })
    return row
  })
}

/** Returns a GPG key of a user. Throws `404 GPG Key Not Found`. */
export function getKey(ctx: Pick<Ctx, 'db'>, owner: UserRow, id: number): GpgKeyRow {
  const row = store.keyOfUser(ctx.db, owner.id, id)
  if (!row) throw notFound('GPG Key')
  return row
}

/** Deletes a GPG key of a user. The key can be added again. */
export function removeKey(ctx: Ctx, { id: key_id, user_id }: GpgKeyRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, key_id)
    publish(ctx, GpgKeyRemoved, { key_id, user_id, actor_id: ctx.actor.id })
  })
}

/** Revokes a GPG key permanently. All its signatures become invalid, and it cannot be added again. */
export function revokeKey(ctx: Ctx, { id: key_id, user_id }: GpgKeyRow): void {
  tx(ctx.db, () => {
    store.revoke(ctx.db, key_id)
    publish(ctx, GpgKeyRevoked, { key_id, user_id, actor_id: ctx.actor.id })
  })
}
