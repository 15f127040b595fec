import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findBrowser, installBrowser } from './browser.mjs'
import { findElectron, hasDisplay } from './electron.mjs'
import { root } from './node.mjs'
import { runProgram } from './run.mjs'

function hasJourneys() {
  const folder = join(root, 'test/e2e')
  return (
    existsSync(folder) && readdirSync(folder, { recursive: true }).some((file) => file.endsWith('.spec.ts'))
  )
}

/** Runs a script and collects its output. */
function collect(args, env) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/**
 * Runs the Playwright journeys. Resolves to `{ code, skipped, output }`: the exit code, a sentence about what did
 * not run and why, and the output if it is collected and not shown.
 */
export async function runJourneys(args, { isCollected = false } = {}) {
  if (!hasJourneys()) return { code: 0, skipped: ['browser journeys: there are none yet'], output: '' }
  const browser = findBrowser() ?? installBrowser()
  if (!browser)
    return {
      code: 0,
      skipped: ['browser journeys: no Chromium here and none could be installed'],
      output: '',
    }
  const skipped = []
  if (!findElectron())
    skipped.push(
      'journeys in Electron itself: no Electron binary here (those of test/shell run on its stand-in)',
    )
  else if (!hasDisplay()) skipped.push('journeys in Electron itself: no display here')
  const env = { ...process.env, DESKFORGE_CHROMIUM: browser, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' }
  const playwright = join(root, 'node_modules/@playwright/test/cli.js')
  if (!isCollected) {
    const code = await runProgram(process.execPath, [playwright, 'test', ...args], { env })
    return { code, skipped, output: '' }
  }
  return { ...(await collect([playwright, 'test', ...args], env)), skipped }
}
