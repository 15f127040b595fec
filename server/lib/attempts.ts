import { createHmac, randomBytes } from 'node:crypto'
import { isIPv4 } from 'node:net'

import { LRUCache } from 'lru-cache'

import { RateWindow, type Rate, type Use } from './rate-window.ts'

/** The maximum number of stored addresses and accounts. The least recently used ones are dropped first. */
const MAX_ENTRIES = 20_000
/** If the failures for an account exceed this multiple of the limit, unknown addresses get one attempt each. */
const SPREAD_FACTOR = 5

/** The number of wrong passwords after which an account is locked for an address, and the duration of the lock. */
export interface LockRule {
  readonly max: number
  readonly minutes: number
}

/** The attempts of one address for one account. */
interface AddressAttempts {
  failures: number
  lockedAt: number | null
  /** The address has used the right password before. */
  isKnown: boolean
}

/**
 * Failed attempts to authenticate by password, token or key, in memory. An account is locked only for the address that
 * guessed, so that strangers cannot lock out its owner. Times are parameters, because only `startServer` has the clock.
 */
export class Attempts {
  // With `maxSize` the memory grows with the entries; `max` would allocate all of it at once.
  readonly #pairs = new LRUCache<string, AddressAttempts>({ maxSize: MAX_ENTRIES, sizeCalculation: () => 1 })
  readonly #accounts = new RateWindow()
  readonly #addresses = new RateWindow()
  /** The window in which an invalid credential was counted. The keys have an address and a digest. */
  readonly #invalid = new LRUCache<string, number>({ maxSize: MAX_ENTRIES, sizeCalculation: () => 1 })
  /** The key of the digests of credentials. */
  readonly #key = randomBytes(32)

  clear(): void {
    this.#pairs.clear()
    this.#accounts.clear()
    this.#addresses.clear()
    this.#invalid.clear()
  }

  /** True if the account is locked for the address. Then even the right password is refused. */
  isLocked(address: string, account: string, rule: LockRule, now: number): boolean {
    const pair = this.#pairs.get(pairOf(address, account))
    return pair !== undefined && isLocked(pair, rule, now)
  }

  /** Counts a wrong password for an account, and returns the number of failures in a row from this address. */
  recordFailure(address: string, account: string, rule: LockRule, now: number): number {
    const key = pairOf(address, account)
    const pair = this.#pairs.get(key) ?? { failures: 0, lockedAt: null, isKnown: false }
    if (pair.lockedAt !== null && !isLocked(pair, rule, now))
      Object.assign(pair, { failures: 0, lockedAt: null })
    pair.failures++
    const totalRate = { max: rule.max * SPREAD_FACTOR, per: rule.minutes * 60 }
    const isOverTotal = !this.#accounts.take(account, totalRate, now).allowed
    // With failures from many addresses, an unknown address gets one attempt.
    const limit = isOverTotal && !pair.isKnown ? 1 : rule.max
    if (pair.lockedAt === null && pair.failures >= limit) pair.lockedAt = now
    this.#pairs.set(key, pair)
    return pair.failures
  }

  /** Resets the failures of the address after the right password. */
  recordSuccess(address: string, account: string): void {
    this.#pairs.set(pairOf(address, account), { failures: 0, lockedAt: null, isKnown: true })
  }

  /**
   * Counts an invalid token or key for an address. The same credential counts once per window, because a program with an
   * old token does not guess and must not block other programs on its machine.
   */
  countInvalid(address: string, credential: string, rate: Rate, now: number): Use {
    const network = addressKey(address)
    const digest = createHmac('sha256', this.#key).update(credential).digest('base64')
    const key = `${network} ${digest}`
    const window = Math.floor(now / (rate.per * 1000))
    const use = this.#addresses.take(network, rate, now)
    if (this.#invalid.get(key) !== window) {
      // Refused credentials are not stored, so that a flood of them does not push out the counted ones.
      if (use.allowed) this.#invalid.set(key, window)
      return use
    }
    this.#addresses.undo(network, rate, now)
    return { ...use, allowed: true }
  }
}

function isLocked({ lockedAt }: AddressAttempts, { minutes }: LockRule, now: number): boolean {
  return lockedAt !== null && now < lockedAt + minutes * 60_000
}

function pairOf(address: string, account: string): string {
  return `${addressKey(address)} ${account}`
}

/** The address as a key. IPv6 addresses of one /64 network, which a household has, share a key. */
export function addressKey(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (isIPv4(plain) || !plain.includes(':')) return plain
  const [head = '', tail] = plain.toLowerCase().split('::', 2) as [string, string | undefined]
  const headParts = head === '' ? [] : head.split(':')
  const tailParts = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [
    ...headParts,
    ...Array.from({ length: Math.max(0, 8 - headParts.length - tailParts.length) }, () => '0'),
    ...tailParts,
  ]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
