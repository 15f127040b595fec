import { describe, expect, it } from 'vitest'

import { nextRunTime, scheduleProblems } from '../../../server/domains/ci/schedules/jobs.ts'
import { ZONE_NAMES } from '../../../server/domains/ci/schedules/zone-names.ts'

const NOW = '2026-11-22T05:00:30.000Z'

describe('the next moment of a schedule', () => {
  it.each([
    ['* * * * *', 'UTC', '2026-11-22T05:01:00.000Z'],
    ['0 1 * * 5', 'UTC', '2026-11-27T01:00:00.000Z'],
    ['0 1 * * 5', 'Europe/Berlin', '2026-11-27T00:00:00.000Z'],
    ['0 1 * * 5', 'Berlin', '2026-11-27T00:00:00.000Z'],
    ['0 0 * * *', 'Pacific Time (US & Canada)', '2026-11-22T08:00:00.000Z'],
    ['0 0 * * sun', 'UTC', '2026-11-29T00:00:00.000Z'],
    ['0 0 * * 7', 'UTC', '2026-11-29T00:00:00.000Z'],
    ['0 0 1 JAN *', 'UTC', '2027-01-01T00:00:00.000Z'],
    ['30 4,16 * * *', 'UTC', '2026-11-22T16:30:00.000Z'],
    ['7/20 * * * *', 'UTC', '2026-11-22T05:07:00.000Z'],
    ['*/15 9-17 * * 1-5', 'UTC', '2026-11-23T09:00:00.000Z'],
    [' 0  6 * * * ', 'UTC', '2026-11-22T06:00:00.000Z'],
    ['@daily', 'UTC', '2026-11-23T00:00:00.000Z'],
    ['0 0 29 2 *', 'UTC', '2028-02-29T00:00:00.000Z'],
    ['0 0 L * *', 'UTC', '2026-11-30T00:00:00.000Z'],
    // A time that daylight saving skips runs after it.
    ['30 2 28 3 *', 'Europe/Berlin', '2027-03-28T01:00:00.000Z'],
  ])('%s in %s', (cron, cron_timezone, expected) => {
    expect(scheduleProblems({ cron, cron_timezone })).toEqual({})
    expect(nextRunTime({ cron, cron_timezone }, NOW)).toBe(expected)
  })

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '0 0 0 * *',
    '0 0 * 13 *',
    '0 0 31 2 *',
    '*/0 * * * *',
    '5-1 * * * *',
    '? * * * *',
    'a b c d e',
    '@reboot',
    '@every 1m',
    '2030-01-01T00:00:00',
    'every day',
    `${'0,'.repeat(200)}0 * * * *`,
    '0 0 * * * ; rm',
  ])('does not exist for %j', (cron) => {
    expect(scheduleProblems({ cron, cron_timezone: 'UTC' })).toEqual({ cron: ['syntax is invalid'] })
  })

  it.each(['', 'Nowhere/City', '+01:00', 'GMT+1', '__proto__', 'constructor', 'x'.repeat(200)])(
    'does not exist in the zone %j',
    (cron_timezone) => {
      const problems = { cron_timezone: ['syntax is invalid'] }
      expect(scheduleProblems({ cron: '0 0 * * *', cron_timezone })).toEqual(problems)
      expect(nextRunTime({ cron: '0 0 * * *', cron_timezone }, NOW)).toBeNull()
    },
  )

  it('is known for every zone by its common name', () => {
    const bad = Object.keys(ZONE_NAMES).filter(
      (name) => nextRunTime({ cron: '@daily', cron_timezone: name }, NOW) === null,
    )
    expect(bad).toEqual([])
  })
})
