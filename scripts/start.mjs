import './lib/node.mjs'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findElectron, hasDisplay, sandboxFlags } from './lib/electron.mjs'
import { root } from './lib/node.mjs'
import { ensureBuildApart, runCli, runProgram } from './lib/run.mjs'

const args = process.argv.slice(2)

async function runHeadless(reason) {
  console.log(`${reason}, so Deskforge runs without its own window.`)
  await runCli('serve', args)
}

/**
 * Resolves with the window's exit code, or undefined if Electron ended before it could show anything (a library or
 * the display server is missing): the shell writes a marker file once it can.
 */
async function runWindow(electron) {
  const folder = mkdtempSync(join(tmpdir(), 'deskforge-start-'))
  const mark = join(folder, 'started')
  try {
    const env = { ...process.env, DESKFORGE_LAUNCH_MARK: mark }
    const main = join(root, 'dist/electron/main.js')
    const code = await runProgram(electron, [...sandboxFlags(), main, ...args], { env })
    return code === 0 || code >= 130 || existsSync(mark) ? code : undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

ensureBuildApart()
const electron = findElectron()
if (!electron) await runHeadless('No Electron binary here')
else if (!hasDisplay()) await runHeadless('No display here')
else {
  const code = await runWindow(electron)
  if (code === undefined) await runHeadless('Electron could not open a window here')
  else process.exitCode = code
}
