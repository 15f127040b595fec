import { addDays } from '../../../lib/clock.ts'
import { parseSshKey, type SshKeyKind, type SshPublicKey } from '../../../lib/ssh/public-key.ts'
import type { Settings } from '../../settings/index.ts'

/** The types of keys with their names, in the order of error messages. */
const FAMILIES: readonly (readonly [SshKeyKind, string])[] = [
  ['rsa', 'RSA'],
  ['dsa', 'DSA'],
  ['ecdsa', 'ECDSA'],
  ['ed25519', 'ED25519'],
  ['ecdsa_sk', 'ECDSA_SK'],
  ['ed25519_sk', 'ED25519_SK'],
]

/** Returns the reason why the settings forbid a key (spec administration 1.3); undefined for an allowed key. */
export function restrictionProblem(settings: Settings, key: SshPublicKey): string | undefined {
  const minBits = settings[`${key.kind}_key_restriction`]
  if (minBits > key.bits) return `must be at least ${minBits} bits`
  if (minBits >= 0) return undefined
  const allowedTypes = FAMILIES.filter(([kind]) => settings[`${kind}_key_restriction`] >= 0).map(
    ([, name]) => name,
  )
  return `type is forbidden. Must be ${listOfNames(allowedTypes)}`
}

function listOfNames(words: readonly string[]): string {
  if (words.length < 3) return words.join(' or ')
  return `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`
}

/** Returns the problem with the expiry of a new key; undefined for a valid expiry. */
export function expiryProblem(settings: Settings, expiresAt: string | null, now: string): string | undefined {
  if (expiresAt !== null && expiresAt <= now) return 'has expired'
  const days = settings.max_ssh_key_lifetime
  if (days === null) return undefined
  if (expiresAt === null) return 'has no expiration date but an expiration date is required for SSH keys'
  // An expiry date is stored as the start of its day, but the key is valid until the end of the day.
  return expiresAt > addDays(now, days) ? 'has an expiration date beyond the allowed lifetime' : undefined
}

/** Returns the reason why the settings forbid an existing key; undefined if the key may be used. */
export function keyUsageProblem(settings: Settings, key: string): string | undefined {
  const parsed = parseSshKey(key)
  return parsed === undefined ? 'is invalid' : restrictionProblem(settings, parsed)
}
