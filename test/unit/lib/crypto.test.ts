import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { hashPassword, tokenDigest, verifyPassword } from '../../../server/lib/security/crypto.ts'

const CHEAP = { ln: 4, p: 1 }

describe('passwords', () => {
  it('match their own hash only', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.string(), async (password, other) => {
        const stored = await hashPassword(password, CHEAP)
        expect(await verifyPassword(password, stored)).toBe(true)
        const same = other.normalize('NFKC') === password.normalize('NFKC')
        expect(await verifyPassword(other, stored)).toBe(same)
      }),
      { numRuns: 50 },
    )
  })

  it('match in every Unicode normalization', async () => {
    const stored = await hashPassword('p\u00e4ssword', CHEAP)
    expect(await verifyPassword('pa\u0308ssword', stored)).toBe(true)
  })

  it('are stored with their own salt and the cost', async () => {
    const [a, b] = await Promise.all([hashPassword('same', CHEAP), hashPassword('same', CHEAP)])
    expect(a).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+/=]{24}\$[A-Za-z0-9+/=]{44}$/)
    expect(a).not.toBe(b)
  })

  it.each([
    '',
    'plain',
    '$2b$10$abcdefghijklmnopqrstuv',
    '$scrypt$ln=4,r=8,p=1$$',
    '$scrypt$ln=4,r=8,p=1$AAAA',
    '$scrypt$ln=4,r=9,p=1$AAAA$AAAA',
    '$scrypt$ln=4,r=8,p=1$AAAA$AAAA$more',
    '$scrypt$ln=60,r=8,p=1$AAAA$AAAA',
    '$scrypt$ln=0,r=8,p=1$AAAA$AAAA',
  ])('never match the stored value %j', async (stored) => {
    expect(await verifyPassword('', stored)).toBe(false)
    expect(await verifyPassword('plain', stored)).toBe(false)
  })
})

describe('tokens', () => {
  it('are stored as SHA-256', () => {
    expect(tokenDigest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
