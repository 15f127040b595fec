import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as turn } from 'node:timers/promises'

import { chromium, type BrowserContext } from '@playwright/test'

import { findBrowser } from '../../../scripts/lib/browser.mjs'

interface Opened {
  readonly context: BrowserContext
  /** Where a journey connects to drive the pages. */
  readonly port: number
}

let opening: Promise<Opened> | undefined

/** Chromium chooses a free port itself, so that no other program can take it first, and writes it to a file. */
async function portIn(profile: string): Promise<number> {
  const file = join(profile, 'DevToolsActivePort')
  for (;;) {
    const port = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n', 1)[0]) : 0
    if (port > 0) return port
    // oxlint-disable-next-line no-await-in-loop
    await turn(20)
  }
}

async function open(userData: string): Promise<Opened> {
  const profile = join(userData, 'chromium')
  rmSync(join(profile, 'DevToolsActivePort'), { force: true })
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    viewport: { width: 1280, height: 800 },
    args: ['--no-sandbox', '--disable-gpu', '--remote-debugging-port=0'],
  })
  return { context, port: await portIn(profile) }
}

let gate = Promise.resolve()
let openGate = (): void => undefined

/** Resolves when a page may be opened, load an address or close. */
export const pagesMayOpen = (): Promise<void> => gate

/** Keeps pages from opening, loading and closing while a journey connects: a page that changes while a client attaches may hang. */
export function holdPages(): void {
  gate = new Promise((resolve) => {
    openGate = resolve
  })
}

export const releasePages = (): void => openGate()

/** The browser of this application, started with its first window. */
export function browserOf(userData: string): Promise<Opened> {
  opening ??= open(userData)
  return opening
}

export function openedBrowser(): Promise<Opened> | undefined {
  return opening
}

export async function closeBrowser(): Promise<void> {
  const opened = await opening?.catch(() => undefined)
  await opened?.context.close().catch(() => undefined)
}
