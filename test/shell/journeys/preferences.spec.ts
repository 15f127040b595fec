import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import type { Page } from '@playwright/test'

import { expect, isReal, owner, test, type Desktop } from '../desktop.ts'

/** Opens the preferences from the application's menu. */
async function openPreferences(desktop: Desktop): Promise<Page> {
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  await desktop.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('preferences')?.click())
  await expect(page.getByRole('heading', { name: 'Application', level: 1 })).toBeVisible()
  return page
}

const trayLabels = (desktop: Desktop) =>
  desktop.evaluate(({ Tray }) => {
    const { all } = Tray as unknown as { all: { menu: { items: { label: string }[] } }[] }
    return all[0]?.menu.items.map((item) => item.label) ?? []
  })

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
  const env = { ...owner, XDG_DATA_HOME: folder.path('home') }
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

test('looks for updates only if and when the user wants it', async ({ start }) => {
  const requested: string[] = []
  let release: string | undefined =
    'version: 99.0.0\npath: deskforge.AppImage\nsha512: x\nreleaseNotes: New boards\n'
  const feed = createServer((request, response) => {
    requested.push(request.url ?? '')
    response.writeHead(release === undefined ? 500 : 200).end(release)
  })
  await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${String((feed.address() as AddressInfo).port)}`
  const desktop = await start({ env: owner })
  const page = await openPreferences(desktop)
  await expect(page.getByRole('button', { name: 'Check now' })).toBeDisabled()
  await page.getByLabel('Release URL').fill('http://evil.example/releases')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('must start with https://')).toBeVisible()
  await page.getByLabel('Release URL').fill(address)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Not checked yet.')).toBeVisible()
  expect(requested).toEqual([])
  await page.getByRole('button', { name: 'Check now' }).click()
  await expect(page.getByText('Version 99.0.0 is available.')).toBeVisible()
  await page.getByText('Release notes').click()
  await expect(page.getByText('New boards')).toBeVisible()
  expect(requested[0]).toMatch(/^\/latest.*\.yml/)
  await page.reload()
  release = undefined
  await page.getByRole('button', { name: 'Check now' }).click()
  await expect(page.getByText('The check failed:')).toBeVisible()
  feed.close()
})

test('downloads an update, replaces the program and starts it', async ({ start, folder }) => {
  test.skip(isReal || process.platform !== 'linux', 'the journey plays an AppImage')
  const program = folder.path('deskforge.AppImage')
  const mark = folder.path('started')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  const next = `#!/bin/sh\necho new > '${mark}'\n`
  const sha512 = createHash('sha512').update(next).digest('base64')
  const files = [{ url: 'deskforge-99.AppImage', sha512, size: next.length }]
  const list = JSON.stringify({ version: '99.0.0', files, releaseDate: '2026-01-01' })
  const feed = createServer(({ url = '' }, response) => {
    response.end(url.includes('.yml') ? list : next)
  })
  await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve))
  const updateFeed = `http://127.0.0.1:${String((feed.address() as AddressInfo).port)}`
  const env = { ...owner, APPIMAGE: program, XDG_CACHE_HOME: folder.path('cache') }
  const desktop = await start({ env })
  const page = await openPreferences(desktop)
  await page.getByLabel('Release URL').fill(updateFeed)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByRole('button', { name: 'Download' }).click()
  await page.getByRole('button', { name: 'Restart and install' }).click()
  expect(await desktop.ended).toBe(0)
  await expect.poll(() => existsSync(mark)).toBe(true)
  feed.close()
})

test('the tray names the pipelines that failed', async ({ start }) => {
  test.skip(isReal, 'Electron does not let a program read the menu of a tray')
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  const { origin } = new URL(page.url())
  const headers = { 'private-token': owner.DESKFORGE_ROOT_TOKEN, 'content-type': 'application/json' }
  const post = (path: string, body: object) =>
    fetch(`${origin}/api/v4${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect((await post('/projects', { name: 'plover', initialize_with_readme: true })).status).toBe(201)
  const file = '/projects/root%2Fplover/repository/files/.gitlab-ci.yml'
  const content = 'check: { script: [exit 1], rules: [ { if: $NOWHERE, when: never } ] \n'
  expect((await post(file, { branch: 'main', content, commit_message: 'Broken' })).status).toBe(201)
  await expect.poll(() => trayLabels(desktop)).toContain('Failed: root/plover (main)')
  await desktop.evaluate(({ Tray }) => {
    const { all } = Tray as unknown as { all: { menu: { items: { label: string; click(): void }[] } }[] }
    all[0]?.menu.items.find(({ label }) => label.startsWith('Failed'))?.click()
  })
  await expect(page).toHaveURL(/\/root\/plover\/-\/pipelines\/\d+$/)
})

test('the tray lists recent projects and pauses the runner', async ({ start }) => {
  test.skip(isReal, 'Electron does not let a program read the menu of a tray')
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  const { origin } = new URL(page.url())
  const headers = { 'private-token': owner.DESKFORGE_ROOT_TOKEN, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'heron', initialize_with_readme: true })
  expect((await fetch(`${origin}/api/v4/projects`, { method: 'POST', headers, body })).status).toBe(201)
  await page.goto(`${origin}/root/heron`)
  await expect.poll(() => trayLabels(desktop)).toContain('heron')
  expect(await trayLabels(desktop)).not.toContain('Pause the Runner')
  await page.goto(`${origin}/-/runners/built_in`)
  await page.getByRole('button', { name: 'Turn on…' }).click()
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await expect.poll(() => trayLabels(desktop)).toContain('Pause the Runner')
  await desktop.evaluate(({ Tray }) => {
    const { all } = Tray as unknown as { all: { menu: { getMenuItemById(id: string): { click(): void } } }[] }
    all[0]?.menu.getMenuItemById('runner').click()
  })
  expect(await trayLabels(desktop)).toContain('Resume the Runner')
  const answer = await fetch(`${origin}/api/v4/runners/all`, { headers })
  const runners = (await answer.json()) as { paused: boolean }[]
  expect(runners.map((one) => one.paused)).toEqual([true])
})
