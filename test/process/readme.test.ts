import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { root, scratch, type Scratch } from '../support/server-process.ts'

const readme = (name: string) =>
  execFileSync(process.execPath, [join(root, 'scripts/readme-commands.mjs'), name], {
    encoding: 'utf8',
  }).trim()

let here: Scratch
beforeEach(() => {
  here = scratch()
})
afterEach(() => here.clear())

describe('the commands of the README', () => {
  it('are an installation with a start, and a test', () => {
    expect(readme('start')).toBe('npm ci && npm start')
    expect(readme('test')).toBe('npm test')
  })

  // The installation has already run, so the test runs only the rest, unchanged.
  it('start an instance that becomes ready, answers, and stops regularly', async () => {
    const started = readme('start').split('&&').at(-1)?.trim() ?? ''
    const instance = here.start({
      // `exec` replaces the shell by npm, so a signal reaches npm as from a terminal.
      command: ['sh', '-c', `exec ${started}`],
      env: {
        DESKFORGE_DATA_DIR: here.path('data'),
        DESKFORGE_PORT: '0',
        DISPLAY: undefined,
        WAYLAND_DISPLAY: undefined,
      },
    })
    const url = await instance.url
    expect((await fetch(`${url}/-/readiness`)).status).toBe(200)
    const ready = instance.output.stdout.split('\n').filter((line) => line.startsWith('Deskforge is ready'))
    expect(ready).toEqual([`Deskforge is ready at ${url}`])
    expect(instance.output.stdout + instance.output.stderr).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m)
    await instance.stop()
    await expect(untilRefused(url)).resolves.toBe('gone')
  })
})

/** npm ends at once, and its instance within five seconds. */
async function untilRefused(url: string): Promise<'gone' | 'still there'> {
  const deadline = Date.now() + 5000
  while (Date.now() < deadline) {
    const answered = await fetch(`${url}/-/liveness`).then(
      async (response) => response.arrayBuffer().then(() => true),
      () => false,
    )
    if (!answered) return 'gone'
  }
  return 'still there'
}
