import { expect } from 'vitest'

import { world, type World } from './world.ts'

const AT = '/-/workbench/worlds'

interface Count {
  readonly kind: string
  readonly made: number
}

export function applyWorld(here: World, text: string) {
  return here.as(here.root).post(AT, text, { 'content-type': 'application/yaml' })
}

/** The instance, or a part of it, as the text of a world. */
export async function writtenWorld(here: World, query = ''): Promise<string> {
  const answer = await here.as(here.root).get(`${AT}/current${query}`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toContain('application/yaml')
  return answer.text
}

/** A written world without the comment at its top. */
export const bodyOf = (text: string): string => text.replace(/^(?:#.*\n)*/, '')

/**
 * Applies a written world to its own instance, which must change nothing, and to an empty one, which must result in the
 * same world. Returns both texts and the other instance.
 */
export async function roundTrip(first: World): Promise<{ text: string; again: string; second: World }> {
  const text = await writtenWorld(first)
  const own = await applyWorld(first, text)
  expect(own.body).toMatchObject({ dry_run: false })
  expect(own.body.counts.filter((entry: Count) => entry.made > 0)).toEqual([])
  expect(await writtenWorld(first)).toBe(text)
  const second = await world()
  expect((await applyWorld(second, text)).body).toMatchObject({ dry_run: false })
  const again = await writtenWorld(second)
  expect(bodyOf(again)).toBe(bodyOf(text))
  return { text, again, second }
}
