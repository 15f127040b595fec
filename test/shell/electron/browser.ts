import { join } from 'node:path'

import { chromium, type Browser, type BrowserContext } from '@playwright/test'

import { findBrowser } from '../../../scripts/lib/browser.mjs'

const options = { executablePath: findBrowser(), args: ['--no-sandbox', '--disable-gpu'] }

/** A browser for the windows of several applications, in turn or at the same time. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ ...options, headless: process.env['DESKFORGE_TEST_HEADED'] !== '1' })

/** A browser for the windows of one application, which finds it by the port in its profile. */
export const openProfile = (userData: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(join(userData, 'chromium'), {
    ...options,
    args: [...options.args, '--remote-debugging-port=0'],
  })
