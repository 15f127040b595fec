import { describe, expect, it } from 'vitest'

import { addressKey, Attempts } from '../../../server/lib/attempts.ts'

const RULE = { max: 3, minutes: 10 }
const RATE = { max: 3, per: 60 }

describe('the rate-limited address', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('of %s is %s', (address, key) => expect(addressKey(address)).toBe(key))
})

describe('wrong passwords', () => {
  it('lock an account for the address they came from, for a while', () => {
    const attempts = new Attempts()
    expect([1, 2, 3].map(() => attempts.recordFailure('10.0.0.1', 'ada', RULE, 0))).toEqual([1, 2, 3])
    const isLocked = (address: string, account: string, at: number) =>
      attempts.isLocked(address, account, RULE, at)
    expect(isLocked('10.0.0.1', 'ada', 599_999)).toBe(true)
    expect(isLocked('10.0.0.1', 'ada', 600_000)).toBe(false)
    expect(isLocked('10.0.0.2', 'ada', 0)).toBe(false)
    expect(isLocked('10.0.0.1', 'eve', 0)).toBe(false)
    // The next failure starts a new series.
    expect(attempts.recordFailure('10.0.0.1', 'ada', RULE, 600_000)).toBe(1)
  })

  it('of many addresses leave an unknown address one attempt, and known addresses all of theirs', () => {
    const attempts = new Attempts()
    attempts.recordSuccess('10.0.0.1', 'ada')
    for (let host = 10; host < 25; host++) attempts.recordFailure(`10.0.0.${host}`, 'ada', RULE, 0)
    expect(attempts.isLocked('10.0.0.10', 'ada', RULE, 0)).toBe(false)
    attempts.recordFailure('10.0.0.99', 'ada', RULE, 0)
    expect(attempts.isLocked('10.0.0.99', 'ada', RULE, 0)).toBe(true)
    attempts.recordFailure('10.0.0.1', 'ada', RULE, 0)
    expect(attempts.isLocked('10.0.0.1', 'ada', RULE, 0)).toBe(false)
    expect(attempts.isLocked('10.0.0.100', 'ada', RULE, 0)).toBe(false)
  })
})

describe('invalid tokens', () => {
  it('are limited by address, and the same token counts once', () => {
    const attempts = new Attempts()
    const shown = (token: string, address = '10.0.0.1', at = 0) =>
      attempts.countInvalid(address, token, RATE, at).allowed
    for (let count = 0; count < 50; count++) expect(shown('old')).toBe(true)
    expect(['a', 'b', 'c', 'd'].map((token) => shown(token))).toEqual([true, true, false, false])
    // A token that was counted before still gets the same error.
    expect(shown('old')).toBe(true)
    expect(shown('c')).toBe(false)
    expect(shown('c', '10.0.0.2')).toBe(true)
    expect(shown('c', '10.0.0.1', 60_000)).toBe(true)
  })
})
