import type { Page } from '@playwright/test'

import { EditorPage } from '../../e2e/pages/editor.ts'
import { expect, isReal, owner, test } from '../desktop.ts'
import {
  answerBoxes,
  ask,
  boxes,
  closeWindow,
  notices,
  opened,
  openPreferences,
  pressMenu,
  quit,
  startJob,
  windowCount,
} from '../press.ts'

const LEAVE = 'Leave without saving?\nThe text on this page is not saved yet.'
const STAY_ANSWER = 0
const LEAVE_ANSWER = 1

/** Makes a page ask before it is closed, as one with unsaved text does. */
const keepText = (page: Page) =>
  page.evaluate(() => addEventListener('beforeunload', (event) => event.preventDefault()))

test('the application keeps running in the tray after the window closes, and closing and quitting ask before text is lost @core', async ({
  start,
}) => {
  const desktop = await start({ env: owner })
  const page = await opened(desktop)
  const { origin } = new URL(page.url())
  await closeWindow(desktop)
  await expect.poll(() => windowCount(desktop)).toBe(0)
  expect((await fetch(`${origin}/-/readiness`)).status).toBe(200)
  // Electron does not let a program read its notifications.
  if (!isReal) await expect.poll(() => notices(desktop)).toEqual(['Deskforge keeps running'])
  const second = await start({ env: owner })
  await expect.poll(() => windowCount(desktop)).toBe(1)
  expect(await second.ended).toBe(0)

  await keepText(await opened(desktop))
  await answerBoxes(desktop, STAY_ANSWER)
  await closeWindow(desktop)
  await expect.poll(() => boxes(desktop)).toEqual([LEAVE])
  expect(await windowCount(desktop)).toBe(1)
  await answerBoxes(desktop, LEAVE_ANSWER)
  await closeWindow(desktop)
  await expect.poll(() => windowCount(desktop)).toBe(0)
  expect((await fetch(`${origin}/-/readiness`)).status).toBe(200)
  // The hint is shown only once.
  if (!isReal) expect(await notices(desktop)).toEqual(['Deskforge keeps running'])

  await desktop.evaluate(({ app }) => void app.emit('activate'))
  await keepText(await opened(desktop))
  await answerBoxes(desktop, STAY_ANSWER)
  await quit(desktop)
  await expect.poll(() => boxes(desktop)).toEqual([LEAVE])
  expect(await windowCount(desktop)).toBe(1)
  await answerBoxes(desktop, LEAVE_ANSWER)
  await quit(desktop).catch(() => undefined)
  expect(await desktop.ended).toBe(0)
})

test('the application ends with the window on a desktop without a tray', async ({ start }) => {
  test.skip(isReal, 'whether a real desktop has a tray cannot be chosen')
  test.skip(process.platform === 'darwin', 'the menu bar of macOS is always there')
  const desktop = await start({ env: { ...owner, STAND_IN_NO_TRAY: '1' } })
  await opened(desktop)
  await closeWindow(desktop).catch(() => undefined)
  expect(await desktop.ended).toBe(0)
})

test('the menu contains the commands of the page and runs them @core', async ({ desktop }) => {
  const page = await opened(desktop)
  await expect
    .poll(() =>
      desktop.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('command:g p') != null),
    )
    .toBe(true)
  await pressMenu(desktop, 'command:g p')
  await expect(page).toHaveURL(/\/projects$/)
})

test('the application asks before a reload loses text @core', async ({ desktop }) => {
  const page = await opened(desktop)
  await page.evaluate(() => Object.assign(window, { isOld: true }))
  await keepText(page)
  // Chromium asks only on pages that the user has clicked or typed in.
  await page.keyboard.press('Shift')
  await page.locator('body').click({ position: { x: 1, y: 1 } })
  const reload = () =>
    desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.reload())
  const isOld = () => page.evaluate(() => 'isOld' in window)
  await answerBoxes(desktop, STAY_ANSWER)
  await reload()
  await expect.poll(() => boxes(desktop)).toEqual([LEAVE])
  expect(await isOld()).toBe(true)
  await answerBoxes(desktop, LEAVE_ANSWER)
  await reload()
  await expect.poll(() => isOld().catch(() => true)).toBe(false)
})

test('a deep link asks before the text of an editor is lost', async ({ desktop, start }) => {
  const page = await opened(desktop)
  const { origin } = new URL(page.url())
  await ask(origin, 'POST', '/projects', { name: 'rail', initialize_with_readme: true })
  const address = `${origin}/root/rail/-/edit/main/README.md`
  await page.goto(address)
  const editor = new EditorPage(page)
  await expect(editor.text).toContainText('rail')
  const follow = async () => {
    const args = ['deskforge://dashboard/groups']
    expect(await (await start({ dataDir: desktop.dataDir, env: owner, args })).ended).toBe(0)
  }
  await editor.append('One more line')
  await answerBoxes(desktop, STAY_ANSWER)
  await follow()
  await expect.poll(() => boxes(desktop)).toEqual([LEAVE])
  await expect(page.getByRole('dialog').or(page.getByRole('alertdialog'))).toHaveCount(0)
  expect(page.url()).toBe(address)
  await expect(editor.text).toContainText('One more line')
  await answerBoxes(desktop, LEAVE_ANSWER)
  await follow()
  await expect(page).toHaveURL(/\/groups$/)
  expect(await boxes(desktop)).toEqual([LEAVE])
})

test('closing the window asks before a description or a setting is lost', async ({ desktop }) => {
  const page = await opened(desktop)
  const { origin } = new URL(page.url())
  await ask(origin, 'POST', '/projects', { name: 'sluice', initialize_with_readme: true })
  await page.goto(`${origin}/root/sluice/-/issues/new`)
  await page.getByRole('textbox', { name: 'Description' }).fill('The gate sticks.')
  await answerBoxes(desktop, STAY_ANSWER)
  await closeWindow(desktop)
  await expect.poll(() => boxes(desktop)).toEqual([LEAVE])
  await expect(page.getByRole('textbox', { name: 'Description' })).toHaveValue('The gate sticks.')
  await answerBoxes(desktop, LEAVE_ANSWER)
  await closeWindow(desktop)
  await expect.poll(() => windowCount(desktop)).toBe(0)

  await desktop.evaluate(({ app }) => void app.emit('activate'))
  const preferences = await openPreferences(desktop)
  await preferences.getByLabel('Port').fill('7099')
  await answerBoxes(desktop, STAY_ANSWER)
  await closeWindow(desktop)
  await expect.poll(() => boxes(desktop)).toEqual([LEAVE])
  expect(await windowCount(desktop)).toBe(1)
  await answerBoxes(desktop, LEAVE_ANSWER)
  await closeWindow(desktop)
  await expect.poll(() => windowCount(desktop)).toBe(0)
})

test('quitting names running work, and can be canceled, wait for it, and end it', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await openPreferences(desktop)
  const endJob = await startJob(new URL(page.url()).origin)
  const work = 'Work is still running. Quit Deskforge?\nslow in root/busy'

  // A restart does not interrupt the job either.
  await answerBoxes(desktop, 0)
  await page.getByLabel('Port').fill('7099')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Restart', exact: true }).click()
  await expect
    .poll(() => boxes(desktop))
    .toEqual(['Work is still running; wait for it first:\nslow in root/busy'])
  expect(await windowCount(desktop)).toBe(1)

  await answerBoxes(desktop, 2)
  await quit(desktop)
  expect(await boxes(desktop)).toEqual([work])
  expect(await windowCount(desktop)).toBe(1)
  await answerBoxes(desktop, 0)
  await quit(desktop)
  expect(await boxes(desktop)).toEqual([work])
  expect(await windowCount(desktop)).toBe(1)
  await endJob()
  expect(await desktop.ended).toBe(0)
})
