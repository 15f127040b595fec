import { createHmac, randomBytes } from 'node:crypto'
import { isIPv4 } from 'node:net'

import { LRUCache } from 'lru-cache'

import { RateWindow, type Rate, type Use } from './rate-window.ts'

/** The maximum number of stored addresses and accounts. The least recently used ones are dropped first. */
const MAX_KEPT = 20_000
/** When an account has this many times the failures of one address, unknown addresses get one attempt each. */
const SPREAD = 5

/** The number of wrong passwords after which an account is locked for an address, and the duration of the lock. */
export interface LockRule {
  readonly max: number
  readonly minutes: number
}

/** The attempts of one address for one account. */
interface Pair {
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
  // Their memory grows with the entries; `max` would take all of it at once.
  readonly #pairs = new LRUCache<string, Pair>({ maxSize: MAX_KEPT, sizeCalculation: () => 1 })
  readonly #accounts = new RateWindow()
  readonly #addresses = new RateWindow()
  /** Invalid credential → the window in which it was counted. */
  readonly #wrong = new LRUCache<string, number>({ maxSize: MAX_KEPT, sizeCalculation: () => 1 })
  /** Credentials are stored as keyed digests. */
  readonly #key = randomBytes(32)

  clear(): void {
    this.#pairs.clear()
    this.#accounts.clear()
    this.#addresses.clear()
    this.#wrong.clear()
  }

  /** True when the account is locked for the address; then even the right password is refused. */
  isLocked(address: string, account: string, rule: LockRule, now: number): boolean {
    const pair = this.#pairs.get(pairOf(address, account))
    return pair !== undefined && isLocked(pair, rule, now)
  }

  /** Counts a wrong password for an account, and returns the number of failures in a row from this address. */
  failed(address: string, account: string, rule: LockRule, now: number): number {
    const key = pairOf(address, account)
    const pair = this.#pairs.get(key) ?? { failures: 0, lockedAt: null, isKnown: false }
    if (pair.lockedAt !== null && !isLocked(pair, rule, now))
      Object.assign(pair, { failures: 0, lockedAt: null })
    pair.failures++
    const everywhere = { max: rule.max * SPREAD, per: rule.minutes * 60 }
    const isSpread = !this.#accounts.take(account, everywhere, now).allowed
    // With failures from many addresses, an unknown address gets one attempt.
    const limit = isSpread && !pair.isKnown ? 1 : rule.max
    if (pair.lockedAt === null && pair.failures >= limit) pair.lockedAt = now
    this.#pairs.set(key, pair)
    return pair.failures
  }

  /** Forgets the failures of the address after the right password. */
  succeeded(address: string, account: string): void {
    this.#pairs.set(pairOf(address, account), { failures: 0, lockedAt: null, isKnown: true })
  }

  /**
   * Counts an invalid token or key for an address. The same one counts once per window: a program with an old token
   * does not guess and must not block others on its machine.
   */
  wrong(address: string, shown: string, rate: Rate, now: number): Use {
    const from = addressKey(address)
    const digest = createHmac('sha256', this.#key).update(shown).digest('base64')
    const key = `${from} ${digest}`
    const window = Math.floor(now / (rate.per * 1000))
    const use = this.#addresses.take(from, rate, now)
    if (this.#wrong.get(key) !== window) {
      // Only counted ones are stored, so that a flood of others does not push them out.
      if (use.allowed) this.#wrong.set(key, window)
      return use
    }
    this.#addresses.undo(from, rate, now)
    return { ...use, allowed: true }
  }
}

function isLocked({ lockedAt }: Pair, { minutes }: LockRule, now: number): boolean {
  return lockedAt !== null && now < lockedAt + minutes * 60_000
}

function pairOf(address: string, account: string): string {
  return `${addressKey(address)} ${account}`
}

/** One household of IPv6 has 2⁶⁴ addresses, and counts as one. */
export function addressKey(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (isIPv4(plain) || !plain.includes(':')) return plain
  const [head = '', tail] = plain.toLowerCase().split('::', 2) as [string, string | undefined]
  const headParts = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [
    ...headParts,
    ...Array.from({ length: Math.max(0, 8 - headParts.length - right.length) }, () => '0'),
    ...right,
  ]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
