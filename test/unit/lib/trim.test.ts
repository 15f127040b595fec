import { describe, expect, it } from 'vitest'

import { namesIn } from '../../../server/domains/planning/index.ts'
import { withoutEnd, withoutEnds } from '../../../server/lib/text/trim.ts'
import { cpuTime } from '../../support/cpu-time.ts'

describe('trimmed texts', () => {
  it('lose the named characters at the ends only', () => {
    expect(withoutEnd('a\n\nb\n\n', '\n')).toBe('a\n\nb')
    expect(withoutEnd('...', '.-')).toBe('')
    expect(withoutEnd('', '.')).toBe('')
    expect(withoutEnds('//a//b/', '/')).toBe('a//b')
    expect(withoutEnds('///', '/')).toBe('')
  })

  it('are trimmed in linear time', () => {
    const start = cpuTime()
    expect(withoutEnd(`a${'\n'.repeat(1_000_000)}x`, '\n')).toHaveLength(1_000_002)
    expect([...namesIn(`@a${'.'.repeat(190_000)}x`).keys()]).toHaveLength(1)
    expect(cpuTime() - start).toBeLessThan(1000)
  })
})
