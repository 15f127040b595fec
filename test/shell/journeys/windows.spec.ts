import { expect, isReal, test, type Desktop } from '../desktop.ts'
import { ask, clickNotice, copied, keepInside, opened, openedOutside } from '../press.ts'

const titles = (desktop: Desktop) =>
  desktop.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((window) => new URL(window.webContents.getURL()).pathname),
  )

test('a raw file opens in a second window, and the first one keeps its page', async ({ desktop }) => {
  const page = await opened(desktop)
  const { origin } = new URL(page.url())
  await ask(origin, 'POST', '/projects', { name: 'tern', initialize_with_readme: true })
  const file = '/root/tern/-/blob/main/README.md'
  await page.goto(`${origin}${file}`)
  await page.getByRole('link', { name: 'Raw' }).click()
  await expect.poll(() => titles(desktop)).toEqual([file, '/root/tern/-/raw/main/README.md'])
  const raw = await desktop.page(/\/-\/raw\//)
  await expect(raw.getByText('# tern')).toBeVisible()
  expect(await raw.evaluate(() => 'desktop' in window)).toBe(false)
  // Its links to other hosts open in the browser, as in the first window.
  await keepInside(desktop)
  await raw.evaluate(() => location.assign('https://elsewhere.example/page'))
  await expect.poll(() => openedOutside(desktop)).toEqual(['https://elsewhere.example/page'])
  await desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[1]?.close())
  await expect.poll(() => titles(desktop)).toEqual([file])
})

test('a window that was opened for a download closes @core', async ({ desktop }) => {
  test.skip(isReal, 'only the stand-in lets a journey play the window of a download')
  await opened(desktop)
  const closed = await desktop.evaluate(({ BrowserWindow, session }) => {
    const calls: string[] = []
    const childAt = (address: string) => {
      const contents = {
        session: session.defaultSession,
        getURL: () => address,
        on: () => undefined,
        setWindowOpenHandler: () => undefined,
      }
      return { webContents: contents, on: () => undefined, close: () => calls.push(address) }
    }
    const main = BrowserWindow.getAllWindows()[0]?.webContents
    for (const address of ['', 'http://127.0.0.1/raw']) {
      const child = childAt(address)
      main?.emit('did-create-window', child, {})
      session.defaultSession.emit('will-download', {}, {}, child.webContents)
    }
    return calls
  })
  // A window with content stays open.
  expect(closed).toEqual([''])
})

test('the badge counts to-do items, and a notification opens its page', async ({ desktop }) => {
  test.skip(isReal, 'Electron does not let a program read the badge and its notifications')
  const page = await opened(desktop)
  const { origin } = new URL(page.url())
  const project = await ask(origin, 'POST', '/projects', { name: 'gull' })
  await page.evaluate(() => Object.assign(document, { hasFocus: () => false }))
  await expect.poll(() => page.evaluate(() => document.hasFocus())).toBe(false)
  const user = await ask(origin, 'POST', '/users', {
    name: 'Ada',
    username: 'ada',
    email: 'ada@example.com',
    password: 'a long enough pass phrase',
    skip_confirmation: true,
  })
  await ask(origin, 'POST', `/projects/${project.id}/members`, { user_id: user.id, access_level: 30 })
  const { token: own } = await ask<{ token: string }>(
    origin,
    'POST',
    `/users/${user.id}/personal_access_tokens`,
    {
      name: 'own',
      scopes: ['api'],
    },
  )
  const issue = await fetch(`${origin}/api/v4/projects/${project.id}/issues`, {
    method: 'POST',
    headers: { 'private-token': own, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'The lamp is out', description: 'Look, @root' }),
  })
  expect(issue.status).toBe(201)
  const badge = () => desktop.evaluate(({ app }) => (app as unknown as { badge: number }).badge)
  await expect.poll(badge).toBe(1)
  const notices = () =>
    desktop.evaluate(({ Notification }) =>
      (Notification as unknown as { shown: { title: string; body: string }[] }).shown.map(
        ({ title, body }) => `${title} ${body}`,
      ),
    )
  await expect.poll(notices).toEqual([expect.stringContaining('The lamp is out')])
  await clickNotice(desktop)
  await expect(page).toHaveURL(/\/root\/gull\/-\/issues\/1/)
})

test('the context menu copies, pastes and opens links @core', async ({ desktop }) => {
  test.skip(isReal, 'Electron does not let a program read a menu that popped up')
  await opened(desktop)
  const menuFor = (params: object) =>
    desktop.evaluate(({ BrowserWindow, Menu }, own) => {
      const all = { editFlags: {}, isEditable: false, linkURL: '', selectionText: '', ...own }
      type Popup = { items: { label: string; type: string }[] } | null
      const shown = Menu as unknown as { lastPopup: Popup }
      shown.lastPopup = null
      BrowserWindow.getAllWindows()[0]?.webContents.emit('context-menu', {}, all)
      return (shown.lastPopup as Popup)?.items
        .filter(({ type }) => type !== 'separator')
        .map(({ label }) => label)
    }, params)
  await keepInside(desktop)
  expect(await menuFor({ isEditable: true, editFlags: { canPaste: true } })).toEqual([
    'Cut',
    'Copy',
    'Paste',
    'Select All',
  ])
  expect(await menuFor({ selectionText: 'heron' })).toEqual(['Copy'])
  expect(await menuFor({})).toBeUndefined()
  expect(await menuFor({ linkURL: 'javascript:alert(1)' })).toBeUndefined()
  expect(await menuFor({ linkURL: 'https://elsewhere.example/' })).toEqual(['Copy Link', 'Open in Browser'])
  await desktop.evaluate(({ Menu }) => {
    const { lastPopup } = Menu as unknown as { lastPopup: { items: { click(): void }[] } }
    for (const item of lastPopup.items) item.click()
  })
  expect(await copied(desktop)).toBe('https://elsewhere.example/')
  expect(await openedOutside(desktop)).toEqual(['https://elsewhere.example/'])
})

test('a button, F10 and Alt show the menu, which has no bar on Windows and Linux @core', async ({
  desktop,
}) => {
  test.skip(isReal, 'Electron does not let a program read a menu that popped up')
  test.skip(process.platform === 'darwin', 'macOS has the menu at the top of the screen')
  const page = await opened(desktop)
  /** The menus that popped up after these keys, if any. */
  const shownAfter = (...keys: [type: string, key: string][]) =>
    desktop.evaluate(({ BrowserWindow, Menu }, pressed) => {
      const menus = Menu as unknown as { lastPopup: { items: { label: string }[] } | null }
      for (const [type, key] of pressed)
        BrowserWindow.getAllWindows()[0]?.webContents.emit(
          'before-input-event',
          { preventDefault: () => undefined },
          { type, key },
        )
      const labels = menus.lastPopup?.items.map(({ label }) => label)
      menus.lastPopup = null
      return labels ?? []
    }, keys)
  const all = await desktop.evaluate(({ Menu }) => Menu.getApplicationMenu()?.items.map(({ label }) => label))
  expect(all).toContain('Help')
  const button = page.getByRole('button', { name: 'Menu', exact: true })
  const left = Math.round((await button.boundingBox())?.x ?? -1)
  await button.click()
  const at = () =>
    desktop.evaluate(({ Menu }) => (Menu as unknown as { lastPopup?: { at: { x: number } } }).lastPopup?.at.x)
  await expect.poll(at).toBe(left)
  expect(await shownAfter()).toEqual(all)
  expect(await shownAfter(['keyDown', 'F10'])).toEqual(all)
  expect(await shownAfter(['keyDown', 'Alt'], ['keyUp', 'Alt'])).toEqual(all)
  // Alt and the left arrow key go back.
  const back = [
    ['keyDown', 'Alt'],
    ['keyDown', 'ArrowLeft'],
    ['keyUp', 'ArrowLeft'],
    ['keyUp', 'Alt'],
  ] as [string, string][]
  expect(await shownAfter(...back)).toEqual([])
})
