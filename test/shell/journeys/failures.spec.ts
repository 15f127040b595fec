import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { Page } from '@playwright/test'

import { expect, isReal, owner, test, type Desktop } from '../desktop.ts'
import {
  answerBoxes,
  boxes,
  copied,
  keepInside,
  openAnother,
  opened,
  openedOutside,
  pressMenu,
} from '../press.ts'

const startPage = /^data:/

const crashPage = (desktop: Desktop) =>
  desktop.evaluate(({ BrowserWindow }, real) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    if (real) contents?.forcefullyCrashRenderer()
    else contents?.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 })
  }, isReal)

/** Crashes the page and waits until the application has loaded it again. The next journey uses the page. */
async function crashAndReload(desktop: Desktop, page: Page): Promise<void> {
  await page.evaluate(() => Object.assign(window, { isOld: true }))
  await crashPage(desktop)
  // The page from before the crash is visible until the new one replaces it.
  await page.waitForFunction(() => !('isOld' in window))
  await expect(page.getByRole('navigation').first()).toBeVisible()
}

// The first crash is determined for each window.

test('the application reloads a crashed page with a message, and asks at the next crash', async ({
  desktop,
}) => {
  const page = await openAnother(desktop)
  await answerBoxes(desktop, 2)
  await crashAndReload(desktop, page)
  await expect
    .poll(() => boxes(desktop))
    .toEqual([expect.stringContaining('The page crashed and was loaded again.')])
  await expect.poll(() => copied(desktop)).toMatch(/^Deskforge .*crashed$/s)
  await crashAndReload(desktop, page)
  await expect.poll(() => boxes(desktop)).toContainEqual(expect.stringContaining('The page crashed again.'))
  expect(desktop.output()).toContain('The page crashed: crashed.')
})

test('the application shows the log of a crash', async ({ desktop }) => {
  const page = await openAnother(desktop)
  await answerBoxes(desktop, 1)
  await keepInside(desktop)
  await crashAndReload(desktop, page)
  await expect.poll(() => openedOutside(desktop)).toEqual([join(desktop.dataDir, 'logs')])
})

test('the application restarts the instance after an error, with the reason in the log', async ({
  start,
  folder,
}) => {
  const desktop = await start({ env: owner })
  const page = await opened(desktop)
  const { origin } = new URL(page.url())
  await answerBoxes(desktop, 0)
  const fail = (message: string) =>
    desktop.evaluate((_electron, text) => {
      setTimeout(() => {
        throw new Error(text)
      })
    }, message)
  await fail('the counter overflowed')
  await expect
    .poll(() => boxes(desktop))
    .toEqual([expect.stringMatching(/had an error and started again\.\n.*the counter overflowed/s)])
  expect((await fetch(`${origin}/-/readiness`)).status).toBe(200)
  const log = join(folder.path('data'), 'logs/deskforge.log')
  await expect.poll(() => readFileSync(log, 'utf8')).toContain('the counter overflowed')
  await page.getByRole('link', { name: 'Projects' }).first().click()
  await expect(page).toHaveURL(/\/projects$/)
  await answerBoxes(desktop, 1)
  await fail('the counter overflowed again').catch(() => undefined)
  expect(await desktop.ended).toBe(1)
})

test('the application offers the bundled git if the chosen one cannot be used', async ({ start, folder }) => {
  test.skip(isReal, 'the resources of a real Electron are its own')
  const bundled = folder.path('resources/git/bin/git')
  mkdirSync(dirname(bundled), { recursive: true })
  const script = '#!/bin/sh\nunset GIT_EXEC_PATH GIT_TEMPLATE_DIR PREFIX GIT_SSL_CAINFO\nexec git "$@"\n'
  writeFileSync(bundled, script, { mode: 0o755 })
  const env = {
    ...owner,
    STAND_IN_RESOURCES: folder.path('resources'),
    DESKFORGE_GIT: folder.path('old-git'),
  }
  writeFileSync(folder.path('old-git'), '#!/bin/sh\necho git version 2.30.1\n', { mode: 0o755 })
  const desktop = await start({ env })
  const page = await desktop.page(startPage)
  await expect(page.getByRole('alert')).toContainText('is version 2.30.1')
  await page.getByRole('link', { name: 'Use Bundled Git' }).click()
  await opened(desktop)
})

test('the application saves diagnostics without secrets', async ({ desktop, folder }) => {
  test.skip(isReal, 'a real save dialog waits for a person')
  const page = await opened(desktop)
  const file = folder.path('report.txt')
  await page.evaluate(async () => fetch('/api/v4/projects/glpat-0123456789abcdefghij'))
  const press = () => pressMenu(desktop, 'save-diagnostics')
  await press()
  expect(existsSync(file)).toBe(false)
  await desktop.evaluate(({ dialog }, to) => Object.assign(dialog, { file: to }), file)
  // The log is written once a second.
  await expect
    .poll(async () => {
      await press()
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    })
    .toContain('/api/v4/projects/[masked]')
  const report = readFileSync(file, 'utf8')
  expect(report).toMatch(/^Deskforge 0\.0\.0\nElectron/)
  expect(report).toContain('"quitOnClose": false')
  expect(report).toContain('"msg":"ready"')
  expect(report).not.toContain('glpat-')
  expect(report).not.toContain(owner.DESKFORGE_ROOT_TOKEN)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
