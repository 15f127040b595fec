import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, isReal, owner, test } from '../desktop.ts'
import { openPreferences } from '../press.ts'

test('saves preferences and uses them at the next start', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await openPreferences(desktop)
  await page.getByRole('switch', { name: 'Quit when the window closes' }).check()
  await page.getByLabel('Port').fill('70000')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('must be a number from 1 to 65535')).toBeVisible()
  await page.getByLabel('Port').fill('7099')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { name: 'Restart to finish' })).toBeVisible()
  await desktop.stop()
  const again = await openPreferences(await start({ env: owner }))
  await expect(again.getByRole('switch', { name: 'Quit when the window closes' })).toBeChecked()
  await expect(again.getByLabel('Port')).toHaveValue('7099')
})

test('opens at login by an autostart entry', async ({ start, folder }) => {
  test.skip(process.platform !== 'linux', 'only Linux desktops start the entries of a folder')
  const config = folder.path('config')
  const desktop = await start({ env: { ...owner, XDG_CONFIG_HOME: config } })
  const page = await openPreferences(desktop)
  const file = join(config, 'autostart/org.deskforge.desktop.desktop')
  await page.getByRole('switch', { name: 'Open at login' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => existsSync(file)).toBe(true)
  expect(readFileSync(file, 'utf8')).toMatch(/^Exec=".+" "--hidden"$/m)
  await page.getByRole('switch', { name: 'Open at login' }).uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => existsSync(file)).toBe(false)
})

test('moves the data folder and starts with it', async ({ start, folder }) => {
  test.skip(isReal, 'a real application restarts out of sight of the journey')
  // The program of an AppImage is in a folder that is gone when it has ended.
  const image = folder.path('deskforge.AppImage')
  const env = { ...owner, XDG_DATA_HOME: folder.path('home'), APPIMAGE: image }
  mkdirSync(folder.path('home'))
  const desktop = await start({ dataDir: null, env })
  const page = await openPreferences(desktop)
  const { origin } = new URL(page.url())
  const headers = { 'private-token': owner.DESKFORGE_ROOT_TOKEN, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'moved', initialize_with_readme: true })
  const made = await fetch(`${origin}/api/v4/projects`, { method: 'POST', headers, body })
  expect(made.status).toBe(201)
  await desktop.evaluate(({ dialog }, to) => Object.assign(dialog, { folder: to }), folder.path('new-disk'))
  await page.getByRole('button', { name: 'Move…' }).click()
  expect(await desktop.ended).toBe(0)
  expect(desktop.output()).toContain(`"execPath":"${image}"`)
  const after = await openPreferences(await start({ dataDir: null, env }))
  await expect(after.getByText(folder.path('new-disk'))).toBeVisible()
  await after.goto(`${new URL(after.url()).origin}/root/moved`)
  await expect(after.getByRole('heading', { name: 'moved' }).first()).toBeVisible()
})

test('shows how much of the data folder is copied', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await openPreferences(desktop)
  await desktop.evaluate(({ BrowserWindow }) => {
    const progress = { copiedBytes: 1_500_000, totalBytes: 6_000_000 }
    BrowserWindow.getAllWindows()[0]?.webContents.send('shell.moving', progress)
  })
  await expect(page.getByText('1.5 MB of 6.0 MB copied')).toBeVisible()
  await expect(page.getByRole('progressbar', { name: 'Moving the data' })).toHaveAttribute('value', '1500000')
})

test('refuses a folder that is not empty, and keeps the old one', async ({ start, folder }) => {
  const full = folder.path('full')
  mkdirSync(full)
  writeFileSync(join(full, 'letter.txt'), 'kept')
  const desktop = await start({ env: owner })
  const page = await openPreferences(desktop)
  await desktop.evaluate(({ dialog }, to) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [to] })
    dialog.showMessageBox = async (...args: unknown[]) => {
      Object.assign(globalThis, { explained: (args.at(-1) as { message: string }).message })
      return { response: 0, checkboxChecked: false }
    }
  }, full)
  await page.getByRole('button', { name: 'Move…' }).click()
  await expect
    .poll(() => desktop.evaluate(() => (globalThis as { explained?: string }).explained))
    .toBe(`The folder ${full} is not empty.`)
  await expect(page.getByRole('button', { name: 'Move…' })).toBeEnabled()
  expect(readFileSync(join(full, 'letter.txt'), 'utf8')).toBe('kept')
})
