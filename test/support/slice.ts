import { createHash } from 'node:crypto'

import * as fc from 'fast-check'

// Tests with very many cases (every endpoint with every actor, every endpoint with wrong input) run in slices: each run
// takes another quarter, chosen by its seed; `npm run test:deep` takes all of it. A failure names the seed of its run.

/** The number of slices, each of which is one run. */
const SLICES = 4

/** The seed of this run. `DESKFORGE_TEST_SEED` repeats another one. */
export const seed = Number(process.env['DESKFORGE_TEST_SEED'] ?? 0)

fc.configureGlobal({ seed })

/** The slice of this run; all items under `npm run test:deep`. */
export function sliceOf<T>(all: readonly T[], nameOf: (item: T) => string): T[] {
  if (process.env['DESKFORGE_TEST_DEEP']) return [...all]
  return all.filter((item) => {
    const digest = createHash('sha256')
      .update(`${seed} ${nameOf(item)}`)
      .digest()
    return digest.readUInt32BE(0) % SLICES === 0
  })
}
