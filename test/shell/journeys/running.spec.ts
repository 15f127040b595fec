import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'

import type { DesktopBridge } from '../../../electron/bridge.ts'
import { EditorPage } from '../../e2e/pages/editor.ts'
import { expect, isReal, owner, test, type Desktop } from '../desktop.ts'

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

/** Starts with a job that a runner has taken; returns how the runner ends it. */
async function startBusy(desktop: Desktop): Promise<() => Promise<void>> {
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
  let job: { id: number; token: string } | undefined
  await expect
    .poll(async () => {
      const body = JSON.stringify({ token })
      const answer = await fetch(`${origin}/api/v4/jobs/request`, { method: 'POST', headers, body })
      if (answer.status === 201) job = (await answer.json()) as typeof job
      return answer.status
    })
    .toBe(201)
  return async () => {
    const body = JSON.stringify({ token: job?.token, state: 'success' })
    const answer = await fetch(`${origin}/api/v4/jobs/${String(job?.id)}`, { method: 'PUT', headers, body })
    expect(answer.status).toBe(200)
  }
}

test('shows running work before it quits', async ({ start }) => {
  const desktop = await start({ env: owner })
  await startBusy(desktop)
  await answerDialogs(desktop, 2)
  await desktop.evaluate(({ app }) => app.quit())
  expect(await asked(desktop)).toEqual(['Work is still running. Quit Deskforge?'])
  expect(await windowCount(desktop)).toBe(1)
  await answerDialogs(desktop, 1)
  await desktop.evaluate(({ app }) => app.quit()).catch(() => undefined)
  expect(await desktop.ended).toBe(0)
})

test('waits for running work and then quits @core', async ({ start }) => {
  const desktop = await start({ env: owner })
  const endJob = await startBusy(desktop)
  await answerDialogs(desktop, 0)
  await desktop.evaluate(({ app }) => app.quit())
  expect(await asked(desktop)).toEqual(['Work is still running. Quit Deskforge?'])
  expect(await windowCount(desktop)).toBe(1)
  await endJob()
  expect(await desktop.ended).toBe(0)
})

test('uses the next port if another program has the default one, says so and keeps it', async ({
  start,
  folder,
}) => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const desktop = await start({ env: owner, port })
  const page = await desktop.page()
  const { origin, port: next } = new URL(page.url())
  expect(Number(next)).not.toBe(port)
  await expect(page.getByRole('navigation').first()).toBeVisible()
  taken.close()
  const preferences = readFileSync(join(folder.path('data'), 'window/preferences.json'), 'utf8')
  expect((JSON.parse(preferences) as { port: number }).port).toBe(Number(next))
  test.skip(isReal, 'Electron does not let a program read its message boxes')
  const said = () =>
    desktop.evaluate(({ dialog }) =>
      (dialog as unknown as { asked: { message: string; detail: string }[] }).asked.map(
        ({ message, detail }) => `${message}: ${detail}`,
      ),
    )
  await expect
    .poll(said)
    .toEqual([expect.stringMatching(`^Deskforge has another address: .* port ${port}\\. .*${origin}`)])
})
