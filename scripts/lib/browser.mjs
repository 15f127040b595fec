import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { root } from './node.mjs'

// The headless shell draws nothing on a screen and is a quarter faster.
const known = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]

/** The browser that the end-to-end tests drive, or undefined: the system's, else Playwright's own. */
export function findBrowser() {
  const candidates = [process.env.DESKFORGE_CHROMIUM, ...known.map((name) => `/usr/bin/${name}`)]
  const own = chromium.executablePath()
  return [...candidates, own].find((candidate) => candidate && existsSync(candidate))
}

function run(program, args, seconds) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const result = spawnSync(program, args, { cwd: root, env, timeout: seconds * 1000, encoding: 'utf8' })
  return result.status === 0
}

/**
 * Installs a browser if this machine allows it: Debian's package as root, otherwise Playwright's own unless
 * PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD forbids it. Returns its path, or undefined.
 */
export function installBrowser() {
  const isRoot = process.getuid?.() === 0
  if (isRoot && existsSync('/usr/bin/apt-get')) {
    console.log('No Chromium here: installing the system package…')
    const install = (name) => run('apt-get', ['install', '-y', '--no-install-recommends', name], 300)
    const either = () => install('chromium-headless-shell') || install('chromium')
    if (either() || (run('apt-get', ['update'], 120) && either())) return findBrowser()
  }
  const forbidden = process.env.PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD
  if (!forbidden || forbidden === '0') {
    console.log('No Chromium here: asking Playwright for its own…')
    run(process.execPath, [join(root, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium'], 300)
  }
  return findBrowser()
}
