import { describe, expect, it } from 'vitest'
import { byteSize, dayText, shortDay, shortTime } from '../../renderer/composables/time.ts'

const NOW = new Date(2026, 10, 20, 12, 0, 0)
const ago = (ms: number) => shortTime(new Date(NOW.getTime() - ms).toISOString(), NOW.getTime())
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('a time in a list', () => {
  it.each([
    [5_000, 'just now'],
    [6 * MINUTE, '6 min ago'],
    [3 * HOUR, '3 h ago'],
    [DAY, 'yesterday'],
    [2 * DAY, 'Wed'],
    [8 * DAY, '12 Nov'],
    [373 * DAY, '12 Nov 2025'],
    [-10 * DAY, 'in 10 days'],
    [-90 * MINUTE, 'in 1 h'],
  ])('for %d ms ago is %j', (age, text) => {
    expect(ago(age)).toBe(text)
  })

  it('is unchanged if it is no time', () => {
    expect(shortTime('soon', NOW.getTime())).toBe('soon')
    expect(dayText('soon')).toBe('soon')
  })
})

describe('a day without a time', () => {
  it.each([
    ['2026-11-20', 'today'],
    ['2026-11-19', 'yesterday'],
    ['2026-11-02', '2 Nov'],
    ['never', 'never'],
  ])('%s is %s', (day, text) => {
    expect(shortDay(day, NOW.getTime())).toBe(text)
  })
})

describe('amounts', () => {
  it('of bytes have at most three digits', () => {
    expect(byteSize(512)).toBe('512 bytes')
    expect(byteSize(18_400_000)).toBe('18.4 MB')
    expect(byteSize(214_300_000_000)).toBe('214 GB')
  })
})
