import { describe, expect, it } from 'vitest'

import {
  closingReferences,
  humanTime,
  namesIn,
  parseDuration,
  referencesIn,
  references,
  taskCompletion,
  withoutCode,
  withPaths,
} from '../../../server/domains/planning/index.ts'
import { parseDay } from '../../../server/domains/planning/issues/input.ts'
import { cpuTime } from '../../support/cpu-time.ts'

const shown = (found: readonly { kind: string; path: string | undefined; iid: number }[]) =>
  found.map((reference) => `${reference.path ?? ''}${reference.kind === 'Issue' ? '#' : '!'}${reference.iid}`)

describe('references in a text', () => {
  const base = 'http://here:1'
  it.each([
    ['#1, !2 and g/p#3', ['#1', '!2', 'g/p#3']],
    ['(#4) "p!5"; a/b/c.d#6.', ['#4', 'p!5', 'a/b/c.d#6']],
    ['`#1` ```#2``` <!-- #3 -->', []],
    ['```\n#1\n```\n#2', ['#2']],
    ['#0 #x &#39; ##1 a##2 #3a', []],
    ['#1 again #1', ['#1']],
    [`${base}/g/p/-/issues/7#note_1 ${base}/g/p/-/merge_requests/8`, ['g/p#7', 'g/p!8']],
    ['http://there/g/p/-/issues/7', []],
    ['', []],
  ])('%j', (text, expected) => {
    expect(shown(referencesIn(text, base))).toEqual(expected)
  })

  it.each([
    ['Closes #1', ['#1']],
    ['closed #1, #2 and #3', ['#1', '#2', '#3']],
    ['Closing: g/p#1', ['g/p#1']],
    ['Fix #1 fixes #2 fixed issue #3 fixing issues #4 and #5', ['#1', '#2', '#3', '#4', '#5']],
    ['Resolve #1\nresolves #2\nResolved #3\nresolving #4', ['#1', '#2', '#3', '#4']],
    ['Implement #1, implements #2; implemented #3. Implementing #4', ['#1', '#2', '#3', '#4']],
    [`Closes ${base}/g/p/-/issues/9`, ['g/p#9']],
    ['This encloses #1; discloses #2; prefix #3', []],
    ['Close !1, and see #2', []],
    ['`Closes #1`', []],
  ])('that the text closes: %j', (text, expected) => {
    expect(shown(closingReferences(text, base))).toEqual(expected)
  })

  it('get the path of the project of the text', () => {
    expect(withPaths('#1 `#2` x!3 (!4)', 'g/p')).toBe('g/p#1 `#2` x!3 (g/p!4)')
  })

  it('are found in linear time', () => {
    const start = cpuTime()
    for (const text of [
      '`'.repeat(200_000),
      'Closes #1, '.repeat(20_000),
      'a/'.repeat(100_000),
      ' `a'.repeat(60_000),
      `Closes #1${' '.repeat(150_000)}x`,
    ])
      closingReferences(`#1 ${text}`)
    expect(cpuTime() - start).toBeLessThan(2000)
  })

  it('are shortened relative to the project or group', () => {
    expect(references('Issue', 1, 'g/s/p', 'g/s/p').relative).toBe('#1')
    expect(references('Issue', 1, 'g/s/p', 'g').relative).toBe('s/p#1')
    expect(references('MergeRequest', 1, 'g/s/p', 'g/s/q').relative).toBe('p!1')
    expect(references('Issue', 1, 'g/s/p', 'x').relative).toBe('g/s/p#1')
    expect(references('Issue', 1, 'g/s/p')).toEqual({ short: '#1', relative: 'g/s/p#1', full: 'g/s/p#1' })
  })
})

describe('names in a text', () => {
  it('are found outside of code, and separately at the beginning of the text', () => {
    expect([...namesIn('@ada, @Bob. and `@eve` me@mail.test @g/sub')]).toEqual([
      ['ada', true],
      ['bob', true],
      ['g/sub', false],
    ])
    expect(withoutCode('a `b` ``c`d`` `e')).toBe(`a${' '.repeat(13)}\`e`)
  })
})

describe('durations', () => {
  it.each([
    ['1mo 2w 3d 4h 5m 6s', 576_000 + 288_000 + 86_400 + 14_400 + 306],
    ['1.5h', 5400],
    ['2 hours, 30 minutes', 9000],
    ['-30m', -1800],
    ['3', 10_800],
    ['', undefined],
    ['soon', undefined],
    ['1x', undefined],
    ['99999999999999999999mo', undefined],
  ])('%j', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds)
  })

  it('are formatted in working time', () => {
    expect([3600, 28_800, 144_000, 576_000, 59, -5400].map((seconds) => humanTime(seconds))).toEqual([
      '1h',
      '1d',
      '1w',
      '1mo',
      '59s',
      '-1h 30m',
    ])
  })
})

describe('task lists', () => {
  it('are counted outside of code', () => {
    const text = '- [ ] a\n* [x] b\n1. [X] c\n> + [ ] d\n- [ ]\n- [] e\n```\n- [ ] f\n```\n'
    expect(taskCompletion(text)).toEqual({ count: 4, completed_count: 2 })
    expect(taskCompletion(null)).toEqual({ count: 0, completed_count: 0 })
  })
})

describe('days in words', () => {
  // A Sunday.
  const now = '2026-11-22T10:00:00.000Z'
  it.each([
    ['2026-12-24', '2026-12-24'],
    ['2026-02-30', undefined],
    ['today', '2026-11-22'],
    ['Tomorrow', '2026-11-23'],
    ['in 2 days', '2026-11-24'],
    ['two weeks', '2026-12-06'],
    ['next week', '2026-11-29'],
    ['in 1 month', '2026-12-22'],
    ['friday', '2026-11-27'],
    ['this Friday', '2026-11-27'],
    ['next friday', '2026-12-04'],
    ['December 31st', '2026-12-31'],
    ['1 Jan', '2027-01-01'],
    ['Nov 5, 2031', '2031-11-05'],
    ['someday', undefined],
    ['', undefined],
  ])('%j is %j', (text, expected) => {
    expect(parseDay(text, now)).toBe(expected)
  })
})
