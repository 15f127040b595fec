import type { Page } from '@playwright/test'

import { expect, isReal, owner, test, type Desktop } from '../desktop.ts'

// Electron's security checklist. The switches of the packed program (fuses) are checked where it is packed.

async function opened(desktop: Desktop): Promise<Page> {
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  return page
}

test('pages have no Node and a sandbox, and the bridge has only functions @core', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await opened(desktop)
  expect(
    await page.evaluate(() => [typeof Reflect.get(window, 'require'), typeof Reflect.get(window, 'process')]),
  ).toEqual(['undefined', 'undefined'])
  const kinds = await page.evaluate(() => {
    const bridge = Object.entries(Reflect.get(window, 'desktop') as object)
    return [...new Set(bridge.filter(([name]) => name !== 'platform').map(([, value]) => typeof value))]
  })
  expect(kinds).toEqual(['function'])
  if (isReal) return
  const preferences = await desktop.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows() as unknown as { options: { webPreferences: object } }[]
    return window?.options.webPreferences
  })
  expect(preferences).toMatchObject({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webviewTag: false,
    // Chromium would download dictionaries where the system has none of its own.
    spellcheck: process.platform === 'darwin',
  })
})

test('the page has a content security policy without foreign hosts', async ({ start }) => {
  const page = await opened(await start({ env: owner }))
  const answer = await page.request.get(new URL(page.url()).origin)
  const policy = answer.headers()['content-security-policy'] ?? ''
  expect(policy).toMatch(/^default-src 'self'; script-src 'self';/)
  expect(policy).not.toMatch(/https?:\/\/(?!127\.0\.0\.1|localhost)/)
})

test('the window stays on its own origin, and other sites open in the browser @core', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await opened(desktop)
  await desktop.evaluate(({ shell }) => {
    shell.openExternal = async (url) => void Object.assign(globalThis, { openedOutside: url })
  })
  const before = page.url()
  await page.evaluate(() => location.assign('https://elsewhere.example/page'))
  const external = () => desktop.evaluate(() => (globalThis as { openedOutside?: string }).openedOutside)
  await expect.poll(external).toBe('https://elsewhere.example/page')
  expect(page.url()).toBe(before)
})

test('the permission handlers refuse everything else', async ({ start }) => {
  test.skip(isReal, 'Electron does not hand out the functions that were set')
  const desktop = await start({ env: owner })
  const { origin } = new URL((await opened(desktop)).url())
  const answers = await desktop.evaluate(({ session }, own) => {
    const { permissionCheck } = session.defaultSession as unknown as {
      permissionCheck: (contents: null, permission: string, requesting: string) => boolean
    }
    const asked = [
      'clipboard-sanitized-write',
      'clipboard-read',
      'geolocation',
      'media',
      'notifications',
      'openExternal',
    ]
    return [
      ...asked.map((permission) => permissionCheck(null, permission, own)),
      permissionCheck(null, 'clipboard-sanitized-write', 'https://elsewhere.example'),
    ]
  }, origin)
  expect(answers).toEqual([true, false, false, false, false, false, false])
})

test('a frame inside the page cannot call the shell @core', async ({ start }) => {
  test.skip(isReal, 'the handlers of Electron cannot be called without a page')
  const desktop = await start({ env: owner })
  const { origin } = new URL((await opened(desktop)).url())
  const answers = await desktop.evaluate(async ({ ipcMain }, own) => {
    const { invoke } = ipcMain as unknown as {
      invoke: (channel: string, frame: { url: string; parent: unknown }, args: unknown[]) => Promise<unknown>
    }
    const call = (url: string, parent: unknown) =>
      Reflect.apply(invoke, ipcMain, ['shell.info', { url, parent }, []]).then(
        () => 'answered',
        (error: unknown) => String(error),
      )
    return [
      await call(`${own}/`, null),
      await call(`${own}/`, {}),
      await call('https://elsewhere.example/', null),
    ]
  }, origin)
  const refusal = 'Error: This page may not call the shell.'
  expect(answers).toEqual(['answered', refusal, refusal])
})

test('a start contacts no other computer', async ({ start }) => {
  test.skip(isReal, 'only the stand-in records the requests of the main process')
  const desktop = await start({ env: owner })
  await opened(desktop)
  expect(await desktop.evaluate(({ net }) => (net as unknown as { requested: string[] }).requested)).toEqual(
    [],
  )
})
