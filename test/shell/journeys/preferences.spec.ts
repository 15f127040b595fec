import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, homeIn, isReal, owner, test } from '../desktop.ts'
import { answerBoxes, ask, boxes, choosePath, openPreferences } from '../press.ts'

test('one page has all preferences of the application @core', async ({ desktop }) => {
  const page = await openPreferences(desktop)
  for (const name of ['Language', 'Theme', 'Port', 'Release URL'])
    await expect(page.getByLabel(name, { exact: true })).toBeVisible()
  for (const name of [
    'Open at login',
    'Quit when the window closes',
    'Show notifications',
    'Check for updates daily',
  ])
    await expect(page.getByRole('switch', { name })).toBeVisible()
  for (const name of ['Data folder', 'Git', 'Runner'])
    await expect(page.getByText(name, { exact: true }).first()).toBeVisible()
  for (const name of ['Move…', 'Use another…', 'Check now'])
    await expect(page.getByRole('button', { name })).toBeVisible()
  await page.getByRole('link', { name: 'Runner settings' }).click()
  await expect(page.getByRole('heading', { name: 'This computer' })).toBeVisible()
})

test('the application opens at login by an autostart entry @core', async ({ desktop }) => {
  test.skip(process.platform !== 'linux', 'only Linux desktops start the entries of a folder')
  const page = await openPreferences(desktop)
  const file = join(desktop.configDir, 'autostart/org.deskforge.desktop.desktop')
  await page.getByRole('switch', { name: 'Open at login' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => existsSync(file)).toBe(true)
  expect(readFileSync(file, 'utf8')).toMatch(/^Exec=".+" "--hidden"$/m)
  await page.getByRole('switch', { name: 'Open at login' }).uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => existsSync(file)).toBe(false)
})

test('the application moves the data folder and starts with it', async ({ start, folder }) => {
  test.skip(isReal, 'a real application restarts out of sight of the journey')
  // The program of an AppImage is in a temporary folder.
  const image = folder.path('deskforge.AppImage')
  const env = { ...owner, ...homeIn(folder.path('home')).env, APPIMAGE: image }
  mkdirSync(folder.path('home'))
  const desktop = await start({ dataDir: null, env })
  const page = await openPreferences(desktop)
  const { origin } = new URL(page.url())
  await ask(origin, 'POST', '/projects', { name: 'moved', initialize_with_readme: true })
  await choosePath(desktop, folder.path('new-disk'))
  await page.getByRole('button', { name: 'Move…' }).click()
  expect(await desktop.ended).toBe(0)
  expect(desktop.output()).toContain(`"execPath":"${image}"`)
  const after = await openPreferences(await start({ dataDir: null, env }))
  await expect(after.getByText(folder.path('new-disk'))).toBeVisible()
  await after.goto(`${new URL(after.url()).origin}/root/moved`)
  await expect(after.getByRole('heading', { name: 'moved' }).first()).toBeVisible()
})

test('the application shows how much of the data folder is copied @core', async ({ desktop }) => {
  const page = await openPreferences(desktop)
  await desktop.evaluate(({ BrowserWindow }) => {
    const progress = { copiedBytes: 1_500_000, totalBytes: 6_000_000 }
    BrowserWindow.getAllWindows()[0]?.webContents.send('shell.moving', progress)
  })
  await expect(page.getByText('1.5 MB of 6.0 MB copied')).toBeVisible()
  await expect(page.getByRole('progressbar', { name: 'Moving the data' })).toHaveAttribute('value', '1500000')
})

test('the application refuses a folder that is not empty, and keeps the old one @core', async ({
  desktop,
  folder,
}) => {
  const full = folder.path('full')
  mkdirSync(full)
  writeFileSync(join(full, 'letter.txt'), 'kept')
  const page = await openPreferences(desktop)
  await choosePath(desktop, full)
  await answerBoxes(desktop, 0)
  await page.getByRole('button', { name: 'Move…' }).click()
  await expect.poll(() => boxes(desktop)).toEqual([`The folder ${full} is not empty.`])
  await expect(page.getByRole('button', { name: 'Move…' })).toBeEnabled()
  expect(readFileSync(join(full, 'letter.txt'), 'utf8')).toBe('kept')
})
