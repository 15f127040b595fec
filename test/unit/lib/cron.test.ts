import { Cron } from 'croner'
import { describe, expect, it } from 'vitest'

import { domains } from '../../../server/domains.ts'
import { nextRun } from '../../../server/lib/cron.ts'

const HOUR = 3_600_000
const library = (pattern: string, from: number) =>
  new Cron(pattern, { timezone: 'UTC', paused: true }).nextRun(new Date(from))?.getTime()

describe('the patterns of our own crons', () => {
  const patterns = [...new Set(domains.flatMap((domain) => domain.crons.map(({ pattern }) => pattern)))]

  it.each([...patterns, '*/7 * * * *', '59 23 * * 6', '0 0 * * 0', '0 0 * * 7', '61 * * * *', '5-9 1 * * *'])(
    '%s is due at the same times as in the library',
    (pattern) => {
      const resultOf = (next: typeof library, from: number): number | string | undefined => {
        try {
          return next(pattern, from)
        } catch (error) {
          return (error as Error).name
        }
      }
      // Over the end of a year and of February, at odd moments.
      for (const start of ['2027-12-30T23:59:59.999Z', '2028-02-27T00:00:00.000Z'])
        for (let hours = 0; hours < 72; hours += 7) {
          const from = Date.parse(start) + hours * HOUR + hours * 1237
          expect(resultOf(nextRun, from)).toBe(resultOf(library, from))
        }
    },
  )
})
