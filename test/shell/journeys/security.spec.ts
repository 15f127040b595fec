import { expect, isReal, test } from '../desktop.ts'
import { keepInside, opened, openedOutside } from '../press.ts'

// Electron's security checklist. The switches of the packed program (fuses) are checked where it is packed.

test('pages have no Node and a sandbox, and the bridge has only functions @core', async ({ desktop }) => {
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

test('the page has a content security policy without foreign hosts @core', async ({ desktop }) => {
  const page = await opened(desktop)
  const answer = await page.request.get(new URL(page.url()).origin)
  const policy = answer.headers()['content-security-policy'] ?? ''
  expect(policy).toMatch(/^default-src 'self'; script-src 'self';/)
  expect(policy).not.toMatch(/https?:\/\/(?!127\.0\.0\.1|localhost)/)
})

test('the window stays on its own origin, and other sites open in the browser @core', async ({ desktop }) => {
  const page = await opened(desktop)
  await keepInside(desktop)
  const before = page.url()
  await page.evaluate(() => location.assign('https://elsewhere.example/page'))
  await expect.poll(() => openedOutside(desktop)).toEqual(['https://elsewhere.example/page'])
  expect(page.url()).toBe(before)
})

test('no redirection, frame or embedded view leads to another origin @core', async ({ desktop }) => {
  const { origin } = new URL((await opened(desktop)).url())
  const refused = await desktop.evaluate(({ BrowserWindow }, own) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    const emitter = contents as unknown as { emit(name: string, event: object): boolean }
    const isRefused = (name: string, url: string) => {
      let refusals = 0
      emitter.emit(name, { url, preventDefault: () => (refusals += 1) })
      return refusals > 0
    }
    const names = ['will-redirect', 'will-frame-navigate', 'will-attach-webview']
    return names.flatMap((name) =>
      [`${own}/x`, 'https://elsewhere.example/'].map((url) => isRefused(name, url)),
    )
  }, origin)
  expect(refused).toEqual([false, true, false, true, true, true])
})

test('the permission handlers refuse everything else @core', async ({ desktop }) => {
  test.skip(isReal, 'Electron does not hand out the functions that were set')
  const { origin } = new URL((await opened(desktop)).url())
  const { checked, requested } = await desktop.evaluate(({ session }, own) => {
    const { permissionCheck, permissionRequest } = session.defaultSession as unknown as {
      permissionCheck: (contents: null, permission: string, requesting: string) => boolean
      permissionRequest: (
        contents: null,
        permission: string,
        answer: (isGranted: boolean) => void,
        details: { requestingUrl: string },
      ) => void
    }
    const permissions = [
      'clipboard-sanitized-write',
      'clipboard-read',
      'geolocation',
      'media',
      'notifications',
      'openExternal',
    ]
    const each = [
      ...permissions.map((permission) => [permission, own] as const),
      ['clipboard-sanitized-write', 'https://elsewhere.example'] as const,
    ]
    const granted: boolean[] = []
    for (const [permission, requestingUrl] of each)
      permissionRequest(null, permission, (isGranted) => granted.push(isGranted), { requestingUrl })
    return { checked: each.map(([name, by]) => permissionCheck(null, name, by)), requested: granted }
  }, origin)
  expect(checked).toEqual([true, false, false, false, false, false, false])
  expect(requested).toEqual(checked)
})

test('a frame inside the page cannot call the shell @core', async ({ desktop }) => {
  test.skip(isReal, 'the handlers of Electron cannot be called without a page')
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

test('a start contacts no other computer @core', async ({ desktop }) => {
  test.skip(isReal, 'only the stand-in records the requests of the main process')
  await opened(desktop)
  expect(await desktop.evaluate(({ net }) => (net as unknown as { requested: string[] }).requested)).toEqual(
    [],
  )
})
