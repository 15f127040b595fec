import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isPossible } from '../support/possible.ts'

import { root, scratch, type Scratch } from '../support/server-process.ts'

let here: Scratch
beforeEach(() => {
  here = scratch()
})
afterEach(() => here.clear())

const command = [process.execPath, join(root, 'scripts/start.mjs')] as const
const noWindow = { DISPLAY: undefined, WAYLAND_DISPLAY: undefined, DESKFORGE_ELECTRON: undefined }

function start(env: Record<string, string | undefined>) {
  return here.start({
    command,
    args: ['--data-dir', here.path('data'), '--port', '0'],
    env: { ...noWindow, ...env },
  })
}

/** A shell script that runs instead of Electron. */
function standIn(script: string): string {
  return executable(`#!/bin/sh\n${script}\n`)
}

function executable(text: string): string {
  const file = here.path('electron')
  writeFileSync(file, text)
  chmodSync(file, 0o755)
  return file
}

describe.runIf(isPossible(process.platform === 'linux', 'the stand-in desktop is shaped for Linux.'))(
  'npm start',
  () => {
    it('reports in one line that there is no display, and serves without a window', async () => {
      const instance = start({ DESKFORGE_ELECTRON: standIn('exit 0') })
      const url = await instance.url
      expect((await fetch(`${url}/-/readiness`)).status).toBe(200)
      expect(instance.output.stdout).toBe(
        `No display here, so Deskforge runs without its own window.\nDeskforge is ready at ${url}\n`,
      )
      expect(await instance.stop()).toMatchObject({ code: 0, stderr: '' })
    })

    it('serves without a window when Electron cannot run', async () => {
      const env = { DISPLAY: ':99', DESKFORGE_ELECTRON: standIn('echo "missing library" >&2; exit 127') }
      const instance = start(env)
      const url = await instance.url
      expect(instance.output.stdout).toBe(
        `Electron could not open a window here, so Deskforge runs without its own window.\nDeskforge is ready at ${url}\n`,
      )
    })

    it('starts Electron on the built shell and passes arguments and the exit code on', async () => {
      const script = `: > "$DESKFORGE_LAUNCH_MARK"; echo "$@"; exit 7`
      const instance = start({ DISPLAY: ':99', DESKFORGE_ELECTRON: standIn(script) })
      const ended = await instance.ended
      expect(ended.code).toBe(7)
      expect(ended.stdout).toContain(
        `${join(root, 'dist/electron/main.js')} --data-dir ${here.path('data')} --port 0`,
      )
    })

    it('passes a signal on to Electron', async () => {
      // The test uses Node, because a shell can lose a signal that arrives between two commands.
      const script = `
        process.getBuiltinModule('node:fs').writeFileSync(process.env.DESKFORGE_LAUNCH_MARK, '')
        const alive = setInterval(() => {}, 1000)
        process.once('SIGTERM', () => { clearInterval(alive); console.log('ended in order') })
        console.log('Deskforge is ready at http://window')`
      const electron = executable(`#!${process.execPath}\n${script}\n`)
      const instance = start({ DISPLAY: ':99', DESKFORGE_ELECTRON: electron })
      await instance.url
      expect(await instance.stop()).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('ended in order'),
      })
    })
  },
)
