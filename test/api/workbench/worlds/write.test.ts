import { describe, expect, it } from 'vitest'

import { world, type World } from '../../../support/world.ts'

const at = '/-/workbench/worlds'
const yaml = { 'content-type': 'application/yaml' }

interface Count {
  kind: string
  made: number
}

const admin = (here: World) => here.as(here.root)
const apply = (here: World, text: string) => admin(here).post(at, text, yaml)
const written = async (here: World): Promise<string> => {
  const answer = await admin(here).get(`${at}/current`)
  expect(answer.status).toBe(200)
  return answer.text
}
const made = (counts: Count[]) => counts.filter((one) => one.made > 0)

/** Applying a written world to its own instance makes nothing, and on an empty one it gives the same text. */
async function roundTrip(first: World): Promise<string> {
  const text = await written(first)
  const own = await apply(first, text)
  expect(own.body).toMatchObject({ dry_run: false })
  expect(made(own.body.counts)).toEqual([])
  const second = await world()
  const other = await apply(second, text)
  expect(other.body).toMatchObject({ dry_run: false })
  const again = await written(second)
  expect(again).toBe(text)
  return text
}

describe('a shipped world', () => {
  it.each(['small-team', 'open-source', 'monorepo'])(
    '%s is written out, and gives the same world again',
    async (shipped) => {
      const here = await world()
      expect((await admin(here).post(at, { shipped })).status).toBe(201)
      await roundTrip(here)
    },
    300_000,
  )
})
