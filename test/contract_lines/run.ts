import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeAll, describe, it } from 'vitest'

import { world, type Client, type World } from '../support/world.ts'
import type { Section } from './section.ts'

/** Declares a test for every proven statement of the sections, all on one instance. */
export function run(sections: Readonly<Record<string, { statements: Section }>>): void {
  let w: World
  let root: Client
  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'deskforge-test-'))
    w = await world({ dataDir, storages: { spare: join(dataDir, 'storages', 'spare') } })
    root = w.as(w.root)
  })
  for (const { statements: part } of Object.values(sections)) {
    if (part.lines.every(({ holds }) => !holds)) continue
    describe(part.title, () => {
      let made: object
      beforeAll(async () => {
        made = await part.prepare(w, root)
      })
      for (const { says, proof, holds } of part.lines) {
        if (holds) it(`${says} [${proof}]`, () => holds({ ...made, w, root }))
      }
    })
  }
}
