import type { DesktopBridge } from '../../../electron/bridge.ts'
import { EditorPage } from '../../e2e/pages/editor.ts'
import { expect, isReal, owner, test, type Desktop } from '../desktop.ts'
import { opened, startJob, windowCount } from '../press.ts'

/** Presses an item of the application's menu, at any depth. */
const pressMenu = (desktop: Desktop, id: string) =>
  desktop.evaluate(({ Menu }, wanted) => {
    Menu.getApplicationMenu()?.getMenuItemById(wanted)?.click()
  }, id)

const answerDialogs = (desktop: Desktop, answer: number) =>
  desktop.evaluate(({ dialog }, given) => {
    const asked: string[] = []
    Object.assign(globalThis, { asked })
    dialog.showMessageBoxSync = (...args: unknown[]) => {
      const { message, detail } = args.at(-1) as { message: string; detail?: string }
      asked.push(message)
      Object.assign(globalThis, { named: detail })
      return given
    }
  }, answer)

const asked = (desktop: Desktop) => desktop.evaluate(() => (globalThis as { asked?: string[] }).asked ?? [])

const closeWindow = (desktop: Desktop) =>
  desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())

test('keeps running in the tray after the window closes, and reopens with a second start @core', async ({
  start,
}) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  const { origin } = new URL(page.url())
  await closeWindow(desktop)
  await expect.poll(() => windowCount(desktop)).toBe(0)
  expect((await fetch(`${origin}/-/readiness`)).status).toBe(200)
  await start({ env: owner })
  await expect.poll(() => windowCount(desktop)).toBe(1)
})

test('says once that it keeps running', async ({ start }) => {
  test.skip(isReal, 'Electron does not let a program read its notifications')
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  const notices = () =>
    desktop.evaluate(({ Notification }) =>
      (Notification as unknown as { shown: { title: string }[] }).shown.map(({ title }) => title),
    )
  await closeWindow(desktop)
  await expect.poll(notices).toEqual(['Deskforge keeps running'])
  await desktop.evaluate(({ app }) => void app.emit('activate'))
  await expect.poll(() => windowCount(desktop)).toBe(1)
  await closeWindow(desktop)
  await expect.poll(() => windowCount(desktop)).toBe(0)
  expect(await notices()).toEqual(['Deskforge keeps running'])
})

test('ends with the window on a desktop without a tray', async ({ start }) => {
  test.skip(isReal, 'whether a real desktop has a tray cannot be chosen')
  test.skip(process.platform === 'darwin', 'the menu bar of macOS is always there')
  const desktop = await start({ env: { ...owner, STAND_IN_NO_TRAY: '1' } })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  await closeWindow(desktop).catch(() => undefined)
  expect(await desktop.ended).toBe(0)
})

test('ends with the window if the preference is set', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  await page.evaluate(() => {
    const bridge = Reflect.get(window, 'desktop') as DesktopBridge
    return bridge.setPreferences({ quitOnClose: true })
  })
  await closeWindow(desktop).catch(() => undefined)
  expect(await desktop.ended).toBe(0)
})

test('the menu shows the commands of the page and runs them', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  await expect
    .poll(() =>
      desktop.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('command:g p') != null),
    )
    .toBe(true)
  await pressMenu(desktop, 'command:g p')
  await expect(page).toHaveURL(/\/projects$/)
})

test('asks before unsaved text is lost, and stays @core', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  await page.evaluate(() => addEventListener('beforeunload', (event) => event.preventDefault()))
  await answerDialogs(desktop, 0)
  await desktop.evaluate(({ app }) => app.quit())
  await expect.poll(() => asked(desktop)).toEqual(['Leave without saving?'])
  expect(await windowCount(desktop)).toBe(1)
  await answerDialogs(desktop, 1)
  await desktop.evaluate(({ app }) => app.quit()).catch(() => undefined)
  expect(await desktop.ended).toBe(0)
})

test('closing the window asks before unsaved text is lost, and keeps the instance', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await opened(desktop)
  const { origin } = new URL(page.url())
  await page.evaluate(() => addEventListener('beforeunload', (event) => event.preventDefault()))
  await answerDialogs(desktop, 0)
  await closeWindow(desktop)
  await expect.poll(() => asked(desktop)).toEqual(['Leave without saving?'])
  expect(await windowCount(desktop)).toBe(1)
  await answerDialogs(desktop, 1)
  await closeWindow(desktop)
  await expect.poll(() => windowCount(desktop)).toBe(0)
  expect((await fetch(`${origin}/-/readiness`)).status).toBe(200)
})

test('asks before a reload loses text', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  await page.evaluate(() => {
    Object.assign(window, { isOld: true })
    addEventListener('beforeunload', (event) => event.preventDefault())
  })
  // Chromium asks only on pages that a person used.
  await page.keyboard.press('Shift')
  await page.locator('body').click({ position: { x: 1, y: 1 } })
  const reload = () =>
    desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.reload())
  const isOld = () => page.evaluate(() => 'isOld' in window)
  await answerDialogs(desktop, 0)
  await reload()
  await expect.poll(() => asked(desktop)).toEqual(['Leave without saving?'])
  expect(await isOld()).toBe(true)
  await answerDialogs(desktop, 1)
  await reload()
  await expect.poll(() => isOld().catch(() => true)).toBe(false)
})

test('a deep link asks before the text of an editor is lost', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  const { origin } = new URL(page.url())
  const headers = { 'private-token': owner.DESKFORGE_ROOT_TOKEN, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'rail', initialize_with_readme: true })
  expect((await fetch(`${origin}/api/v4/projects`, { method: 'POST', headers, body })).status).toBe(201)
  const address = `${origin}/root/rail/-/edit/main/README.md`
  await page.goto(address)
  const editor = new EditorPage(page)
  await expect(editor.text).toContainText('rail')
  await editor.append('One more line')
  const second = await start({ env: owner, args: ['deskforge://dashboard/groups'] })
  expect(await second.ended).toBe(0)
  await expect(page.getByRole('dialog').or(page.getByRole('alertdialog'))).toContainText('Leave without')
  expect(page.url()).toBe(address)
  await expect(editor.text).toContainText('One more line')
})

test('shows running work before it quits', async ({ start }) => {
  const desktop = await start({ env: owner })
  await startJob(new URL((await opened(desktop)).url()).origin)
  await answerDialogs(desktop, 2)
  await desktop.evaluate(({ app }) => app.quit())
  expect(await asked(desktop)).toEqual(['Work is still running. Quit Deskforge?'])
  expect(await desktop.evaluate(() => (globalThis as { named?: string }).named)).toBe('slow in root/busy')
  expect(await windowCount(desktop)).toBe(1)
  await answerDialogs(desktop, 1)
  await desktop.evaluate(({ app }) => app.quit()).catch(() => undefined)
  expect(await desktop.ended).toBe(0)
})

test('waits for running work and then quits @core', async ({ start }) => {
  const desktop = await start({ env: owner })
  const endJob = await startJob(new URL((await opened(desktop)).url()).origin)
  await answerDialogs(desktop, 0)
  await desktop.evaluate(({ app }) => app.quit())
  expect(await asked(desktop)).toEqual(['Work is still running. Quit Deskforge?'])
  expect(await windowCount(desktop)).toBe(1)
  await endJob()
  expect(await desktop.ended).toBe(0)
})
