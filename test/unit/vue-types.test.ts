import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

import { problemsOf } from '../../scripts/lib/vue-types.mjs'

const folder = fileURLToPath(new URL('../fixtures/vue-types/', import.meta.url))

/** The faults that comments in the files name, as `file:line code`. */
function namedFaults(): string[] {
  return readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        [...line.matchAll(/\bTS(\d+)/g)].map(([, code]) => `${file}:${index + 1} ${code}`),
      ),
  )
}

it('the type check of components finds each fault at its line, and nothing in the code around it', () => {
  const found = problemsOf(join(folder, 'tsconfig.json'))
  expect(found.map(({ file, line, code }) => `${basename(file)}:${line} ${code}`).toSorted()).toEqual(
    namedFaults().toSorted(),
  )
  // Columns are counted in UTF-16, as editors do.
  const inText = found.find(({ file, line }) => basename(file) === 'TemplateFaults.vue' && line === 14)
  expect(inText).toMatchObject({ column: 32, message: "Property 'size' does not exist on type 'string'." })
})
