import { describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { bodyOf, roundTrip } from '../../../support/written-world.ts'

describe('the built-in world of a thousand projects', async () => {
  const here = await world()
  const applied = await here.as(here.root).post('/-/workbench/worlds', { shipped: 'thousand-projects' })
  const madeOf = ({ body }: typeof applied) =>
    Object.fromEntries(body.counts.map(({ kind, made }: { kind: string; made: number }) => [kind, made]))

  it('is created as a whole', () => {
    expect(applied.status).toBe(201)
    expect(madeOf(applied)).toMatchObject({
      users: 40,
      groups: 10,
      projects: 1000,
      commits: 1000,
      issues: 1000,
    })
  })

  it('changes nothing when it is applied again', async () => {
    const again = await here.as(here.root).post('/-/workbench/worlds', { shipped: 'thousand-projects' })
    expect(again.status).toBe(201)
    expect(Object.values(madeOf(again)).filter((made) => made !== 0)).toEqual([])
  })

  it('is written as a text that creates the same thousand projects', async () => {
    const { text, second } = await roundTrip(here)
    expect(bodyOf(text).match(/^ {2}- path: /gm)).toHaveLength(1010)
    expect(bodyOf(text).match(/^ {4}issues:$/gm)).toHaveLength(1000)
    const last = await second
      .as(second.root)
      .get('/projects/support%2Fhelpdesk-1000/repository/files/src%2Fmain.rb/raw?ref=main')
    expect(last.text).toContain('Service 1000 listens')
  })
}, 900_000)
