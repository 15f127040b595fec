import { expect, it } from 'vitest'

import { FAMILIES } from '../../renderer/api/live-reach.ts'
import { sourcesOf } from '../support/imports.ts'

it('the window knows what every event concerns that the server declares', () => {
  const declared = sourcesOf('server/domains').flatMap(({ text }) =>
    [...text.matchAll(/\bevent\(\s*'([a-z_]+)\.[a-z_]+'/g)].map(([, family]) => family!),
  )
  expect([...FAMILIES].toSorted()).toEqual([...new Set(declared)].toSorted())
})
