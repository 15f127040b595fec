import type { Browser } from '@playwright/test'
import { gzipSync } from 'node:zlib'

import { launchBrowser } from '../../support/browser.ts'
import { startInstance, type Running } from '../support/instance.ts'
import { median, round, type Result } from '../support/measure.ts'
import { seedProjects } from '../support/seed.ts'

const ROUNDS = 7

interface Seen {
  /** First contentful paint, ms from the start of the navigation. */
  paint: number
  /** The list stands and its first row can be followed, ms from the start of the navigation. */
  usable: number
  /** Addresses of all scripts that were loaded until then. */
  scripts: string[]
}

/** Opens the list of projects in a fresh context that is signed in: nothing is in the browser's cache. */
async function open(browser: Browser, instance: Running): Promise<Seen> {
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
            // Two frames later it is painted, and the main thread has been free to do so.
            if (isThere) requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
            else requestAnimationFrame(look)
          }
          look()
        }),
    )
    return await page.evaluate((usableAt) => {
      const names = performance.getEntriesByType('resource').map((one) => one.name)
      const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN
      return { paint, usable: usableAt, scripts: names.filter((name) => name.endsWith('.js')) }
    }, usable)
  } finally {
    await context.close()
  }
}

/** What these files weigh when they are compressed, kB; the instance itself sends them as they are. */
async function compressedKb(addresses: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    addresses.map(async (one) => gzipSync(await (await fetch(one)).arrayBuffer()).length),
  )
  return sizes.reduce((sum, one) => sum + one, 0) / 1024
}

/** Row 13: the list of 1,000 projects in a real browser. */
export async function windowRows(dir: string): Promise<Result[]> {
  await seedProjects(dir, 1000)
  const instance = await startInstance(dir)
  const browser = await launchBrowser()
  try {
    const seen: Seen[] = []
    // The first warms the server up and is not counted.
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
      row('1,000 projects, first paint', median(seen.map((one) => one.paint)), 'ms', 500),
      row('1,000 projects, usable', median(seen.map((one) => one.usable)), 'ms', 800),
      row('scripts until then', await compressedKb(seen[0]!.scripts), 'kB gzip', 250),
    ]
  } finally {
    await browser.close()
    await instance.stop()
  }
}
