import { hash, randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'

/** Cost of a password hash: scrypt with N = 2^ln, r = 8. */
export interface HashCost {
  ln: number
  p: number
}

/** N = 2^15, p = 3: about 0.2 s of one core. Tests use a lower cost. */
export const DEFAULT_HASH_COST: HashCost = { ln: 15, p: 3 }

function derive(password: string, salt: Buffer, cost: HashCost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** cost.ln, r: 8, p: cost.p, maxmem: 256 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, 32, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

/** A password as stored: `$scrypt$ln=15,r=8,p=3$<salt>$<key>`; the prefix allows other methods later. */
export async function hashPassword(password: string, cost: HashCost = DEFAULT_HASH_COST): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, cost)
  return `$scrypt$ln=${cost.ln},r=8,p=${cost.p}$${salt.toString('base64')}$${key.toString('base64')}`
}

/** True if `stored` is the hash of `password`; false for a hash in an unknown form. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const parts = /^\$scrypt\$ln=(\d{1,2}),r=8,p=(\d{1,2})\$([^$]+)\$([^$]+)$/.exec(stored)
  // scrypt would throw for a cost outside of its range.
  if (!parts || Number(parts[1]) < 1 || Number(parts[1]) > 20 || Number(parts[2]) < 1) return false
  const storedKey = Buffer.from(parts[4]!, 'base64')
  const key = await derive(password, Buffer.from(parts[3]!, 'base64'), {
    ln: Number(parts[1]),
    p: Number(parts[2]),
  })
  return key.length === storedKey.length && timingSafeEqual(key, storedKey)
}

/** Compares two texts in a time that does not depend on the position of a difference. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The stored digest of a token: SHA-256, hex. Tokens are long and random, so no salt is needed. */
export function tokenDigest(token: string): string {
  return hash('sha256', token, 'hex')
}
