import { describe, expect, it } from 'vitest'

import { linearPattern, searchable, searchablePieces } from '../../../server/lib/text/linear-pattern.ts'
import { cpuTime } from '../../support/cpu-time.ts'

describe('patterns by users', () => {
  it('have the syntax of RE2', () => {
    const pattern = linearPattern('^release-\\d{1,3}$')
    expect(pattern.matcher('release-12').find()).toBe(true)
    expect(pattern.matcher('release-1234').find()).toBe(false)
    expect(linearPattern('^(main|stable/.{1,200})$').matcher('stable/1.2').find()).toBe(true)
  })

  it('report their syntax errors', () => {
    expect(() => linearPattern('(')).toThrow('missing closing )')
    expect(() => linearPattern('(?<=a)b')).toThrow('invalid')
  })

  it.each(['(?:.?){1000}'.repeat(20), `(?:${'a'.repeat(3900)}){1000}`, 'x'.repeat(2000)])(
    'are refused if matching them would block the instance',
    (source) => {
      const began = cpuTime()
      expect(() => linearPattern(source)).toThrow('the pattern is too large')
      expect(cpuTime() - began).toBeLessThan(500)
    },
  )

  it('are searched only in the beginning of long texts', () => {
    const long = 'ab'.repeat(500_000)
    const small = linearPattern('x-\\d+')
    const large = linearPattern('(?:.?){400}[01]')
    expect(searchable(small, 'x-1')).toBe('x-1')
    expect(searchable(large, long).length).toBeLessThan(searchable(small, long).length)
    expect(searchable(small, long).length).toBeLessThan(100_000)
  })

  it('are searched in overlapping parts of a long text, and not at all in one that is too long', () => {
    const pattern = linearPattern('(?:.?){400}[01]')
    const length = searchable(pattern, 'x'.repeat(10_000)).length
    expect(searchablePieces(pattern, 'x'.repeat(length))).toHaveLength(1)
    const text = Array.from({ length: 5 * length }, (_, index) => String(index % 10)).join('')
    const pieces = searchablePieces(pattern, text)!
    const step = Math.ceil(length / 2)
    pieces.forEach((piece, index) => expect(text.startsWith(piece, index * step)).toBe(true))
    expect(pieces.every((piece) => piece.length <= length)).toBe(true)
    expect((pieces.length - 1) * step + pieces.at(-1)!.length).toBe(text.length)
    expect(searchablePieces(pattern, text.repeat(10))).toBeUndefined()
  })
})
