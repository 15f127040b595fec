import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeAll, describe, it } from 'vitest'

import { seed, sliceOf } from '../support/slice.ts'
import { world, type Client, type World } from '../support/world.ts'
import type { Section } from './section.ts'

/** Sections by the path of their file. */
type Sections = Readonly<Record<string, { statements: Section }>>

/**
 * Declares tests for the lines about roles in other specifications than the contract. A line starts with its section, such
 * as "1.3" of core. One run takes a slice of them, `npm run test:deep` takes all.
 */
export function runRoles(sections: Sections): void {
  const part = ({ title, prepare, lines }: Section): Section => ({
    title: `${title} (seed ${seed})`,
    prepare,
    lines: sliceOf(lines, ({ says }) => says),
  })
  run(
    Object.fromEntries(
      Object.entries(sections).map(([path, { statements }]) => [path, { statements: part(statements) }]),
    ),
  )
}

/** Declares a test for every proven statement of the sections, all on one instance. */
export function run(sections: Sections): void {
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
