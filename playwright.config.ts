import { defineConfig } from '@playwright/test'
import { existsSync } from 'node:fs'

// Debian's Chromium first, and of that its shell without a screen, which is a quarter faster; Playwright's own only
// where none is installed. Nothing is downloaded here: `npm test` decides what may be installed.
const candidates = [
  process.env['DESKFORGE_CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const executablePath = candidates.find((candidate) => candidate && existsSync(candidate))

export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  workers: 2,
  // Long enough for a busy machine: a limit that ends a slow journey shows no fault.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  // A journey that passes only the second time is a fault to find.
  retries: 0,
  forbidOnly: Boolean(process.env['CI']),
  reporter: [['list']],
  globalSetup: './test/support/build.ts',
  use: {
    viewport: { width: 1280, height: 800 },
    trace: 'off',
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  projects: [
    // Each journey has an application of its own or leaves the shared one as it was.
    { name: 'shell', testDir: 'test/shell/journeys', fullyParallel: true },
    { name: 'browser', grepInvert: /@electron-only/, use: { browserName: 'chromium' } },
    { name: 'electron', grep: /@electron/ },
  ],
})
