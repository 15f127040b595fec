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

/**
 * Runs the Playwright journeys. Resolves to `{ code, skipped }`: the exit code, and in words what was not
 * run and why.
 */
export async function runJourneys(args) {
  if (!hasJourneys()) return { code: 0, skipped: ['browser journeys: there are none yet'] }
  const browser = findBrowser() ?? installBrowser()
  if (!browser)
    return { code: 0, skipped: ['browser journeys: no Chromium here and none could be installed'] }
  const skipped = []
  if (!findElectron()) skipped.push('desktop window journeys: no Electron binary here')
  else if (!hasDisplay()) skipped.push('desktop window journeys: no display here')
  const env = { ...process.env, DESKFORGE_CHROMIUM: browser, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' }
  const playwright = join(root, 'node_modules/@playwright/test/cli.js')
  const code = await runProgram(process.execPath, [playwright, 'test', ...args], { env })
  return { code, skipped }
}
