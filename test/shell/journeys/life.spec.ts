import { writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { expect, owner, test, type Desktop } from '../desktop.ts'

const windowCount = (desktop: Desktop) =>
  desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)

test('opens a window on its own instance and signs the owner in', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  expect(await page.evaluate(() => 'desktop' in window)).toBe(true)
  expect(desktop.output()).toContain(`Deskforge is ready at ${new URL(page.url()).origin}`)
})

test('shows the first run on an empty data folder', async ({ start }) => {
  const page = await (await start()).page()
  await expect(page).toHaveURL(/\/-\/first_run$/)
})

test('a second start shows the window and opens the page of its deep link', async ({ start }) => {
  const first = await start({ env: owner })
  const page = await first.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  await first.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize())
  const second = await start({ env: owner, args: ['deskforge://dashboard/groups'] })
  expect(await second.ended).toBe(0)
  await expect(page).toHaveURL(/\/groups$/)
  const isMinimized = first.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isMinimized())
  expect(await isMinimized).toBe(false)
  expect(await windowCount(first)).toBe(1)
})

test('a deep link to another host opens nothing', async ({ start }) => {
  const desktop = await start({ env: owner, args: ['deskforge:////evil.example/x'] })
  const page = await desktop.page()
  expect(new URL(page.url()).hostname).toBe('127.0.0.1')
})

test('opens with a damaged window state', async ({ start, folder }) => {
  const dataDir = folder.path('data')
  mkdirSync(join(dataDir, 'window'), { recursive: true })
  writeFileSync(join(dataDir, 'window/state.json'), '{"width":"wide",')
  const page = await (await start({ dataDir, env: owner })).page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
})
