import { describe, expect, it } from 'vitest'

import { describeP12 } from '../../server/domains/ci/secure_files/parse/p12.ts'
import { LOCKED_P12, OLDER_P12 } from '../api/ci/secure-files-samples.ts'

describe('a PKCS#12 store', () => {
  it('is not opened if it requires too many rounds', () => {
    const rounds = Buffer.from([2, 2, 8, 0])
    const greedy = Buffer.from(OLDER_P12)
    for (let at = greedy.indexOf(rounds); at >= 0; at = greedy.indexOf(rounds, at + 1))
      greedy.writeUInt16BE(0x7fff, at + 2)
    expect(() => describeP12(greedy)).toThrow('Too many rounds.')
    expect(describeP12(OLDER_P12).expires_at).toBe('2036-11-19T04:06:21.000Z')
  })

  it('is not opened without its password', () => {
    expect(() => describeP12(LOCKED_P12)).toThrow('The file has a password.')
  })
})
