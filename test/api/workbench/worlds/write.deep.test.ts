import { describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { roundTrip } from '../../../support/written-world.ts'

describe('a shipped world', () => {
  it.each(['small-team', 'open-source', 'monorepo'])(
    '%s is written as a text that creates the same world',
    async (shipped) => {
      const here = await world()
      expect((await here.as(here.root).post('/-/workbench/worlds', { shipped })).status).toBe(201)
      const { text, again } = await roundTrip(here)
      expect(again).toBe(text)
    },
    300_000,
  )
})
