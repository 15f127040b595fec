import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { findBrowser, installBrowser } from './browser.mjs'
import { findElectron, hasDisplay } from './electron.mjs'
import { root } from './node.mjs'
import { runProgram } from './run.mjs'

const report = join(root, 'test-results/journeys.json')

function hasJourneys() {
  const folder = join(root, 'test/e2e')
  return (
    existsSync(folder) && readdirSync(folder, { recursive: true }).some((file) => file.endsWith('.spec.ts'))
  )
}

const MESSAGE_LINES = 12

/** Returns the failed journeys of Playwright's report, each with the first lines of its message. */
function failuresIn(path) {
  if (!existsSync(path)) return []
  const lines = []
  const walk = ({ suites = [], specs = [] }) => {
    for (const suite of suites) walk(suite)
    for (const { file, line, title, tests } of specs)
      for (const { projectName, results } of tests)
        for (const { error } of results)
          if (error)
            lines.push(`failed  [${projectName}] ${file}:${line} > ${title}: ${firstLinesOf(error.message)}`)
  }
  walk(JSON.parse(readFileSync(path, 'utf8')))
  return lines
}

function firstLinesOf(message = '') {
  const lines = stripVTControlCharacters(message).split('\n')
  return lines
    .filter((line) => line.trim() !== '')
    .slice(0, MESSAGE_LINES)
    .join('\n')
}

/**
 * Runs the Playwright journeys. Resolves to `{ passed, skipped, failures }`: whether all passed, a sentence about what did
 * not run and why, and the failures.
 */
export async function runJourneys(args) {
  if (!hasJourneys()) return { passed: true, skipped: ['browser journeys: there are none yet'], failures: [] }
  const isReal = Boolean(findElectron()) && hasDisplay()
  // In Electron itself the journeys of the shell need no other browser.
  const isWithoutBrowser =
    isReal &&
    args.some((arg, at) => arg === '--project=shell' || (arg === '--project' && args[at + 1] === 'shell'))
  const browser = findBrowser() ?? (isWithoutBrowser ? undefined : installBrowser())
  if (!browser && !isWithoutBrowser)
    return {
      passed: true,
      skipped: ['browser journeys: no Chromium here and none could be installed'],
      failures: [],
    }
  const skipped = []
  if (!findElectron())
    skipped.push(
      'journeys in Electron itself: no Electron binary here (those of test/shell run on its stand-in)',
    )
  else if (!hasDisplay()) skipped.push('journeys in Electron itself: no display here')
  rmSync(report, { force: true })
  const env = {
    ...process.env,
    ...(browser ? { DESKFORGE_CHROMIUM: browser } : {}),
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  }
  const playwright = join(root, 'node_modules/@playwright/test/cli.js')
  const reporters = '--reporter=list,json'
  const code = await runProgram(process.execPath, [playwright, 'test', reporters, ...args], { env })
  const failures = failuresIn(report)
  if (code !== 0) failures.push(`failed  Playwright ended with ${code}`)
  return { passed: code === 0, skipped, failures }
}
