import { createHmac, randomBytes } from 'node:crypto'
import { isIPv4 } from 'node:net'

import { LRUCache } from 'lru-cache'

import { RateWindow, type Rate, type Use } from './rate-window.ts'

/** Addresses and accounts that are remembered at once; the least used ones are forgotten first. */
const MAX_KEPT = 20_000
/** Failures of one account over all addresses, in times of what one address may have, until strangers get one try each. */
const SPREAD = 5

/** When wrong passwords lock an account for an address, and for how long. */
export interface LockRule {
  readonly max: number
  readonly minutes: number
}

/** What is known of one address and one account. */
interface Pair {
  failures: number
  lockedAt: number | null
  /** The right password was shown from there. */
  isKnown: boolean
}

/**
 * Who failed to prove who they are, in memory: one for all ways of showing a password, a token or a key. An account is locked
 * for the address that guessed at it and for no other, so that strangers lock nobody out. Times are handed in, because only
 * `startServer` knows the clock.
 */
export class Attempts {
  readonly #pairs = new LRUCache<string, Pair>({ max: MAX_KEPT })
  readonly #accounts = new RateWindow()
  readonly #addresses = new RateWindow()
  /** What was wrong → the window in which it was counted. */
  readonly #wrong = new LRUCache<string, number>({ max: MAX_KEPT })
  /** What is shown is kept as a digest that means nothing elsewhere. */
  readonly #key = randomBytes(32)

  /** True where an address guessed at an account so often that not even the right password is taken. */
  isLocked(address: string, account: string, rule: LockRule, now: number): boolean {
    const pair = this.#pairs.get(pairOf(address, account))
    return pair !== undefined && holds(pair, rule, now)
  }

  /** Counts a wrong password for an account, and gives how many came from this address in a row. */
  failed(address: string, account: string, rule: LockRule, now: number): number {
    const key = pairOf(address, account)
    const pair = this.#pairs.get(key) ?? { failures: 0, lockedAt: null, isKnown: false }
    if (pair.lockedAt !== null && !holds(pair, rule, now))
      Object.assign(pair, { failures: 0, lockedAt: null })
    pair.failures++
    const everywhere = { max: rule.max * SPREAD, per: rule.minutes * 60 }
    const isSpread = !this.#accounts.take(account, everywhere, now).allowed
    // Guessed at from many addresses: one that never had the right password gets one try.
    const most = isSpread && !pair.isKnown ? 1 : rule.max
    if (pair.lockedAt === null && pair.failures >= most) pair.lockedAt = now
    this.#pairs.set(key, pair)
    return pair.failures
  }

  /** The right password was shown: the failures of this address are forgotten. */
  succeeded(address: string, account: string): void {
    this.#pairs.set(pairOf(address, account), { failures: 0, lockedAt: null, isKnown: true })
  }

  /**
   * Counts a token or key that does not hold, for the address that it came from. The same one counts once in a window: a
   * program that goes on with an old token is no guess, and must not be in the way of others on the same machine.
   */
  wrong(address: string, shown: string, rate: Rate, now: number): Use {
    const from = addressKey(address)
    const digest = createHmac('sha256', this.#key).update(shown).digest('base64')
    const key = `${from} ${digest}`
    const window = Math.floor(now / (rate.per * 1000))
    const use = this.#addresses.take(from, rate, now)
    if (this.#wrong.get(key) !== window) {
      // Only what was counted is known: a flood of others does not push it out.
      if (use.allowed) this.#wrong.set(key, window)
      return use
    }
    this.#addresses.giveBack(from, rate, now)
    return { ...use, allowed: true }
  }
}

function holds({ lockedAt }: Pair, { minutes }: LockRule, now: number): boolean {
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
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [
    ...left,
    ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'),
    ...right,
  ]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
