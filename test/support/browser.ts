import { chromium, type Browser } from '@playwright/test'
import { existsSync } from 'node:fs'

const candidates = [
  process.env['DESKFORGE_CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  chromium.executablePath(),
]

/** The browser that tests outside Playwright's runner may drive; undefined if there is none. */
export function browserPath(): string | undefined {
  return candidates.find((candidate) => candidate && existsSync(candidate))
}

/** Starts the installed Chromium in headless mode. The caller closes it. */
export function launchBrowser(): Promise<Browser> {
  const executablePath = browserPath()
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
  ]
  return chromium.launch({ ...(executablePath ? { executablePath } : {}), args: [...args, '--disable-sync'] })
}
