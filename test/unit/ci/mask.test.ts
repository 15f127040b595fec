import { describe, expect, it } from 'vitest'

import { Masker } from '../../../server/domains/ci/built_in_runner/run/trace.ts'
import { cpuTime } from '../../support/cpu-time.ts'

/** The joined output for the chunks. */
function out(values: string[], ...pieces: string[]): string {
  const masker = new Masker(values)
  return [...pieces.map((piece) => masker.push(Buffer.from(piece))), masker.end()].join('')
}

describe('masking', () => {
  it('replaces values wherever the chunks are cut', () => {
    const text = 'a secret-value here, secret-valu there, secret-value'
    const expected = 'a [MASKED] here, secret-valu there, [MASKED]'
    for (let cut = 0; cut <= text.length; cut++)
      expect(out(['secret-value'], text.slice(0, cut), text.slice(cut))).toBe(expected)
    expect(out(['secret-value'], ...text)).toBe(expected)
  })

  it('replaces the longer of two values with the same beginning, and overlapping values', () => {
    const values = ['abcdefgh', 'abcdefghij', 'ghxxyyzz']
    for (const text of ['abcdefghij', 'abcdefgh', 'xabcdefgh-', 'abcdefghi', 'abcdefghxxyyzz', '$ghxxyyzz'])
      expect(out(values, ...text)).toBe(out(values, text))
    expect(out(values, 'abcdefghij|abcdefgh|ghxxyyzz|abcdefg')).toBe('[MASKED]|[MASKED]|[MASKED]|abcdefg')
    expect(out(['a.c', '$^'], 'abc a.c $^')).toBe('abc [MASKED] [MASKED]')
    expect(out(['Größe12345'], 'Größe1', '2345 Größe')).toBe('[MASKED] Größe')
  })

  it('delays only text that may be the beginning of a value', () => {
    const masker = new Masker(['secret-value', ''])
    expect(masker.push(Buffer.from('ready\n')).toString()).toBe('ready\n')
    expect(masker.push(Buffer.from('x sec')).toString()).toBe('x ')
    expect(masker.push(Buffer.from('ond')).toString()).toBe('second')
    expect(masker.end().toString()).toBe('')
    expect(new Masker([]).push(Buffer.from('plain')).toString()).toBe('plain')
  })

  it('is quick with thousands of values', () => {
    const values = Array.from({ length: 8000 }, (_, n) => `value-number-${n}-of-many`)
    const text = 'value-number-none '.repeat(4000)
    const start = cpuTime()
    expect(out(values, text)).toBe(text)
    expect(cpuTime() - start).toBeLessThan(2000)
  })
})
