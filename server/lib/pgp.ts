import type { Key, PublicKey } from 'openpgp'

/** Loaded on first use, because it is large. */
const load = () => import('openpgp')

/** A name on a key, as its owner wrote it. */
export interface PgpUserId {
  readonly name: string
  readonly email: string
}

/** A public key of PGP. Ids are upper-case hex. */
export interface PgpPublicKey {
  readonly fingerprint: string
  readonly key_id: string
  readonly user_ids: readonly PgpUserId[]
  readonly subkey_ids: readonly string[]
}

export const PGP_KEY_HEAD = '-----BEGIN PGP PUBLIC KEY BLOCK-----'

/** Reads an armored block with exactly one public key; undefined for anything else, also for private keys. */
export async function readPgpKey(armored: string): Promise<PgpPublicKey | undefined> {
  const key = await parseKey(armored)
  if (!key) return undefined
  return {
    fingerprint: key.getFingerprint().toUpperCase(),
    key_id: idOf(key),
    user_ids: key.users.flatMap(({ userID }) => {
      if (!userID) return []
      return [{ name: userID.name.trim(), email: userID.email.trim() }]
    }),
    subkey_ids: key.subkeys.map(idOf),
  }
}

function idOf(key: { getKeyID(): { toHex(): string } }): string {
  return key.getKeyID().toHex().toUpperCase()
}

async function parseKey(armored: string): Promise<PublicKey | undefined> {
  const text = armored.trim()
  if (!text.startsWith(PGP_KEY_HEAD)) return undefined
  const { readKeys } = await load()
  const keys: Key[] = await readKeys({ armoredKeys: text }).catch(() => [])
  const [key] = keys
  return keys.length === 1 && key && !key.isPrivate() ? key : undefined
}

/** The key ids that an armored signature names, one for each signature in the block. */
export async function pgpSigners(armored: string): Promise<string[]> {
  const { readSignature } = await load()
  const signature = await readSignature({ armoredSignature: armored }).catch(() => undefined)
  return signature?.getSigningKeyIDs().map((id) => id.toHex().toUpperCase()) ?? []
}

/** True when the key made the detached signature over `content` while the key was valid. */
export async function isPgpSignatureValid(
  armoredKey: string,
  armored: string,
  content: Buffer,
): Promise<boolean> {
  const key = await parseKey(armoredKey)
  if (!key) return false
  const { createMessage, readSignature, verify } = await load()
  try {
    const signature = await readSignature({ armoredSignature: armored })
    const message = await createMessage({ binary: new Uint8Array(content) })
    const { signatures } = await verify({ message, signature, verificationKeys: key, format: 'binary' })
    const results = await Promise.all(signatures.map((result) => result.verified))
    return results.length > 0 && results.every(Boolean)
  } catch {
    return false
  }
}
