import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

import { problemsOf } from '../../scripts/lib/vue-types.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** What `vue-tsc` finds in a folder, as `file(line,column) code`. */
function foundByVueTsc(folder: string): string[] {
  const vueTsc = join(root, 'node_modules/vue-tsc/bin/vue-tsc.js')
  const args = [vueTsc, '--noEmit', '--pretty', 'false', '-p', folder]
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  return [...stdout.matchAll(/^(\S.*?\(\d+,\d+\)): error TS(\d+)/gm)].map(
    ([, position, code]) => `${position} ${code}`,
  )
}

it.each([['test/fixtures/vue-types'], ['renderer']])(
  'vue-tsc finds the same in %s',
  { timeout: 600_000 },
  (folder) => {
    const found = problemsOf(join(root, folder, 'tsconfig.json')).map(
      ({ file, line, column, code }) => `${file.slice(root.length)}(${line},${column}) ${code}`,
    )
    expect(foundByVueTsc(folder).toSorted()).toEqual(found.toSorted())
  },
)
