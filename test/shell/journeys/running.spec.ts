import { createServer, type AddressInfo } from 'node:net'

import type { DesktopBridge } from '../../../electron/bridge.ts'
import { expect, owner, test, type Desktop } from '../desktop.ts'

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
      asked.push((args.at(-1) as { message: string }).message)
      return given
    }
  }, answer)

const asked = (desktop: Desktop) => desktop.evaluate(() => (globalThis as { asked?: string[] }).asked ?? [])

const windowCount = (desktop: Desktop) =>
  desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)

const closeWindow = (desktop: Desktop) =>
  desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())

test('keeps running in the tray after the window closes, and reopens with a second start', async ({
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

test('asks before unsaved text is lost, and stays', async ({ start }) => {
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

test('shows running work before it quits', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  const { origin } = new URL(page.url())
  const headers = { 'private-token': owner.DESKFORGE_ROOT_TOKEN, 'content-type': 'application/json' }
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${origin}/api/v4${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    expect(answer.status, text).toBeLessThan(300)
    return JSON.parse(text) as Record<string, unknown>
  }
  await post('/projects', { name: 'busy', initialize_with_readme: true })
  const { token } = await post('/user/runners', { runner_type: 'instance_type', run_untagged: true })
  await post('/projects/root%2Fbusy/repository/files/.gitlab-ci.yml', {
    branch: 'main',
    content: 'slow:\n  script: [sleep 60]\n',
    commit_message: 'A pipeline',
  })
  await expect
    .poll(async () => {
      const body = JSON.stringify({ token })
      return (await fetch(`${origin}/api/v4/jobs/request`, { method: 'POST', headers, body })).status
    })
    .toBe(201)
  await answerDialogs(desktop, 2)
  await desktop.evaluate(({ app }) => app.quit())
  expect(await asked(desktop)).toEqual(['Work is still running. Quit Deskforge?'])
  expect(await windowCount(desktop)).toBe(1)
  await answerDialogs(desktop, 1)
  await desktop.evaluate(({ app }) => app.quit()).catch(() => undefined)
  expect(await desktop.ended).toBe(0)
})

test('uses the next port if another program has the default one', async ({ start }) => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const page = await (await start({ env: owner, port })).page()
  expect(Number(new URL(page.url()).port)).not.toBe(port)
  await expect(page.getByRole('navigation').first()).toBeVisible()
  taken.close()
})
