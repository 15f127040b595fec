import type { Page } from '@playwright/test'

import { expect, isReal, owner, test, type Desktop } from '../desktop.ts'

async function opened(desktop: Desktop): Promise<{ page: Page; origin: string }> {
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  return { page, origin: new URL(page.url()).origin }
}

const token = { 'private-token': owner.DESKFORGE_ROOT_TOKEN, 'content-type': 'application/json' }

async function post<Answer = { id: number }>(origin: string, path: string, body: object): Promise<Answer> {
  const answer = await fetch(`${origin}/api/v4${path}`, {
    method: 'POST',
    headers: token,
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  expect(answer.status, text).toBeLessThan(300)
  return JSON.parse(text) as Answer
}

const titles = (desktop: Desktop) =>
  desktop.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((one) => new URL(one.webContents.getURL()).pathname),
  )

test('a raw file opens in a second window, and the first one keeps its page', async ({ start }) => {
  const desktop = await start({ env: owner })
  const { page, origin } = await opened(desktop)
  await post(origin, '/projects', { name: 'tern', initialize_with_readme: true })
  const file = '/root/tern/-/blob/main/README.md'
  await page.goto(`${origin}${file}`)
  await page.getByRole('link', { name: 'Raw' }).click()
  await expect.poll(() => titles(desktop)).toEqual([file, '/root/tern/-/raw/main/README.md'])
  const raw = await desktop.page(/\/-\/raw\//)
  await expect(raw.getByText('# tern')).toBeVisible()
  expect(await raw.evaluate(() => 'desktop' in window)).toBe(false)
  // Its links to other hosts open in the browser, as in the first window.
  await desktop.evaluate(({ shell }) => {
    shell.openExternal = async (url) => void Object.assign(globalThis, { openedOutside: url })
  })
  await raw.evaluate(() => location.assign('https://elsewhere.example/page'))
  await expect
    .poll(() => desktop.evaluate(() => (globalThis as { openedOutside?: string }).openedOutside))
    .toBe('https://elsewhere.example/page')
  await desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[1]?.close())
  await expect.poll(() => titles(desktop)).toEqual([file])
})

test('a window that was opened for a download closes', async ({ start }) => {
  test.skip(isReal, 'only the stand-in lets a journey play the window of a download')
  const desktop = await start({ env: owner })
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
  // One that shows something stays.
  expect(closed).toEqual([''])
})

test('the icon counts to-dos, and a notification opens its page', async ({ start }) => {
  test.skip(isReal, 'Electron does not let a program read the badge and its notifications')
  const desktop = await start({ env: owner })
  const { page, origin } = await opened(desktop)
  const project = await post(origin, '/projects', { name: 'gull' })
  await page.evaluate(() => Object.assign(document, { hasFocus: () => false }))
  await expect.poll(() => page.evaluate(() => document.hasFocus())).toBe(false)
  const user = await post<{ id: number }>(origin, '/users', {
    name: 'Ada',
    username: 'ada',
    email: 'ada@example.com',
    password: 'a long enough pass phrase',
    skip_confirmation: true,
  })
  await post(origin, `/projects/${project.id}/members`, { user_id: user.id, access_level: 30 })
  const { token: own } = await post<{ token: string }>(origin, `/users/${user.id}/personal_access_tokens`, {
    name: 'own',
    scopes: ['api'],
  })
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
  await desktop.evaluate(({ Notification }) => {
    const { shown } = Notification as unknown as { shown: { emit(name: string): void }[] }
    shown[0]?.emit('click')
  })
  await expect(page).toHaveURL(/\/root\/gull\/-\/issues\/1/)
})

test('the context menu copies, pastes and opens links', async ({ start }) => {
  test.skip(isReal, 'Electron does not let a program read a menu that popped up')
  const desktop = await start({ env: owner })
  await opened(desktop)
  const menuFor = (params: object) =>
    desktop.evaluate(({ BrowserWindow, Menu }, given) => {
      const all = { editFlags: {}, isEditable: false, linkURL: '', selectionText: '', ...given }
      type Popup = { items: { label: string; type: string }[] } | null
      const shown = Menu as unknown as { lastPopup: Popup }
      shown.lastPopup = null
      BrowserWindow.getAllWindows()[0]?.webContents.emit('context-menu', {}, all)
      return (shown.lastPopup as Popup)?.items
        .filter(({ type }) => type !== 'separator')
        .map(({ label }) => label)
    }, params)
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
  const outcome = await desktop.evaluate(async ({ clipboard, shell }) => [
    await clipboard.readText(),
    (shell as unknown as { opened: string[] }).opened,
  ])
  expect(outcome).toEqual(['https://elsewhere.example/', ['https://elsewhere.example/']])
})
