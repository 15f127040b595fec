import type { Browser } from '@playwright/test'
import { gzipSync } from 'node:zlib'

import { launchBrowser } from '../../support/browser.ts'
import { startInstance, type Running } from '../support/instance.ts'
import { median, round, type Result } from '../support/measure.ts'
import { seedProjects } from '../support/seed.ts'

const ROUNDS = 7

interface PageLoad {
  /** First contentful paint, ms from the start of the navigation. */
  paint: number
  /** The time at which the list is loaded and its first row can be opened, in ms from the start of the navigation. */
  usable: number
  /** The URLs of all scripts that were loaded until then. */
  scripts: string[]
}

/** Opens the list of projects in a new signed-in browser context with an empty cache. */
async function open(browser: Browser, instance: Running): Promise<PageLoad> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const data = { login: 'root', password: 'a bench under the oak' }
    await context.request.post(`${instance.url}/-/session`, { data })
    const page = await context.newPage()
    await page.goto(`${instance.url}/projects`, { waitUntil: 'commit' })
    const usable = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const look = (): void => {
            const isThere = document.querySelector('main a[href*="project-"]') !== null
            // Two frames later the list is painted, and the main thread was idle.
            if (isThere) requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
            else requestAnimationFrame(look)
          }
          look()
        }),
    )
    return await page.evaluate((usableAt) => {
      const names = performance.getEntriesByType('resource').map((entry) => entry.name)
      const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN
      return { paint, usable: usableAt, scripts: names.filter((name) => name.endsWith('.js')) }
    }, usable)
  } finally {
    await context.close()
  }
}

/** The gzip size of these files in kB. The instance itself sends them uncompressed. */
async function compressedKb(addresses: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    addresses.map(async (address) => gzipSync(await (await fetch(address)).arrayBuffer()).length),
  )
  return sizes.reduce((sum, size) => sum + size, 0) / 1024
}

/** Row 13: the list of 1,000 projects in a real browser. */
export async function windowRows(dir: string): Promise<Result[]> {
  await seedProjects(dir, 1000)
  const instance = await startInstance(dir)
  const browser = await launchBrowser()
  try {
    const seen: PageLoad[] = []
    // The first load warms the server up and is not counted.
    await open(browser, instance)
    for (let round = 0; round < ROUNDS; round++) seen.push(await open(browser, instance))
    const row = (work: string, value: number, unit: string, goal: number): Result => ({
      row: 13,
      work,
      baseline: '–',
      measured: `${round(value)} ${unit}`,
      ratio: null,
      goal: `≤ ${goal} ${unit}`,
      met: value <= goal,
    })
    return [
      row('1,000 projects, first paint', median(seen.map((load) => load.paint)), 'ms', 500),
      row('1,000 projects, usable', median(seen.map((load) => load.usable)), 'ms', 800),
      row('scripts until then', await compressedKb(seen[0]!.scripts), 'kB gzip', 250),
    ]
  } finally {
    await browser.close()
    await instance.stop()
  }
}
