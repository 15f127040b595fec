import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { EditorPage } from '../../e2e/pages/editor.ts'
import { canMount, NEEDS_MOUNT, smallDisk } from '../../support/small-disk.ts'
import { expect, isReal, owner, test } from '../desktop.ts'
import { choosePath, opened } from '../press.ts'

const startPage = /^data:/

test('shows that the data folder is not writable, and continues once it is', async ({ start, folder }) => {
  const file = folder.path('not-a-folder')
  writeFileSync(file, '')
  const desktop = await start({ dataDir: join(file, 'data'), env: owner })
  const page = await desktop.page(startPage)
  await expect(page.getByRole('alert')).toContainText('cannot be written to')
  rmSync(file)
  await page.getByRole('link', { name: 'Try Again' }).click()
  await expect((await desktop.page()).getByRole('navigation').first()).toBeVisible()
})

test('another data folder is chosen on the page of a failed start', async ({ start, folder }) => {
  test.skip(isReal, 'a real application restarts out of sight of the journey')
  writeFileSync(folder.path('not-a-folder'), '')
  const env = { ...owner, XDG_DATA_HOME: folder.path('home') }
  const args = ['--data-dir', join(folder.path('not-a-folder'), 'data')]
  const first = await start({ dataDir: null, args, env })
  const page = await first.page(startPage)
  await expect(page.getByRole('alert')).toContainText('cannot be written to')
  mkdirSync(folder.path('disk'))
  await choosePath(first, folder.path('disk'))
  // The page goes with the application, perhaps before the click is reported.
  await page
    .getByRole('link', { name: 'Choose Data Folder…' })
    .click()
    .catch(() => undefined)
  expect(await first.ended).toBe(0)
  // The argument with the old folder would win over the choice.
  const [, again = '{}'] = /^\[relaunch\] (.+)$/m.exec(first.output()) ?? []
  expect((JSON.parse(again) as { args: string[] }).args.slice(1)).toEqual(['--port', '0'])
  await opened(await start({ dataDir: null, env }))
  expect(readdirSync(folder.path('disk'))).toContain('deskforge.db')
})

test('a chosen folder that cannot be used is no dead end', async ({ start, folder }) => {
  test.skip(process.platform === 'win32', 'Windows has other permissions')
  const home = folder.path('home')
  const open = folder.path('open')
  mkdirSync(join(home, 'deskforge/window'), { recursive: true })
  mkdirSync(open)
  writeFileSync(join(open, 'letter.txt'), '')
  chmodSync(open, 0o777)
  writeFileSync(join(home, 'deskforge/window/data-folder.json'), JSON.stringify({ folder: open }))
  const desktop = await start({ dataDir: null, env: { ...owner, XDG_DATA_HOME: home } })
  const page = await desktop.page(startPage)
  await expect(page.getByRole('alert')).toContainText(`Everyone can write to the folder ${open}.`)
  await expect(page.getByRole('link', { name: 'Choose Data Folder…' })).toBeVisible()
  if (isReal) return
  await page.getByRole('link', { name: 'Show Log' }).click()
  await page.getByRole('link', { name: 'Copy Details' }).click()
  await expect
    .poll(() => desktop.evaluate(({ clipboard }) => clipboard.readText()))
    .toMatch(/^Deskforge .*Everyone can write to the folder/s)
  const shown = await desktop.evaluate(({ shell }) => (shell as unknown as { opened: string[] }).opened)
  expect(shown).toEqual([join(open, 'logs')])
})

test('creates no empty instance if the chosen data folder is missing', async ({ start, folder }) => {
  const home = folder.path('home')
  mkdirSync(join(home, 'deskforge/window'), { recursive: true })
  const gone = folder.path('unplugged')
  writeFileSync(join(home, 'deskforge/window/data-folder.json'), JSON.stringify({ folder: gone }))
  const desktop = await start({ dataDir: null, env: { ...owner, XDG_DATA_HOME: home } })
  const page = await desktop.page(startPage)
  await expect(page.getByRole('alert')).toContainText(`The data folder ${gone} is not there.`)
  await page.getByRole('link', { name: 'Quit' }).click()
  expect(await desktop.ended).toBe(1)
})

test('offers to choose a git if there is none', async ({ start, folder }) => {
  const git = folder.path('no-git')
  const desktop = await start({ env: { ...owner, DESKFORGE_GIT: git } })
  const page = await desktop.page(startPage)
  await expect(page.getByRole('alert')).toContainText('cannot be run')
  await expect(page.getByRole('link', { name: 'Choose Git…' })).toBeVisible()
  const other = folder.path('git')
  writeFileSync(other, '#!/bin/sh\nexec git "$@"\n', { mode: 0o755 })
  await choosePath(desktop, other)
  await page.getByRole('link', { name: 'Choose Git…' }).click()
  await opened(desktop)
})

test('shows that it is starting while git hangs, and the error after it gives up', async ({
  start,
  folder,
}) => {
  const git = folder.path('hanging-git')
  writeFileSync(git, '#!/bin/sh\nexec sleep 60\n')
  chmodSync(git, 0o755)
  const desktop = await start({ env: { ...owner, DESKFORGE_GIT: git } })
  const page = await desktop.page(startPage)
  await expect(page.getByRole('heading')).toHaveText('Deskforge is starting')
  await expect(page.getByRole('alert')).toContainText('does not answer like git', { timeout: 40_000 })
})

test('shows that another instance uses the data folder, and starts when it ends', async ({
  start,
  folder,
}) => {
  const dataDir = folder.path('data')
  const other = folder.start({ dataDir })
  const url = await other.url
  const desktop = await start({ dataDir, env: owner })
  const page = await desktop.page(startPage)
  await expect(page.getByRole('alert')).toContainText('already uses the data folder')
  await expect(page.getByRole('alert')).toContainText(url)
  await other.stop()
  await page.getByRole('link', { name: 'Try Again' }).click()
  await expect((await desktop.page()).getByRole('heading', { name: 'Who you are' })).toBeVisible()
})

test('two users of one computer have an instance each', async ({ start, folder }) => {
  const first = await (await start({ dataDir: folder.path('ada'), env: owner })).page()
  await expect(first.getByRole('navigation').first()).toBeVisible()
  const port = Number(new URL(first.url()).port)
  const second = await (await start({ dataDir: folder.path('bob'), env: owner, port })).page()
  await expect(second.getByRole('navigation').first()).toBeVisible()
  expect(new URL(second.url()).port).not.toBe(String(port))
  const ask = (page: typeof first) => page.evaluate(async () => (await fetch('/-/readiness')).status)
  expect([await ask(first), await ask(second)]).toEqual([200, 200])
})

test('shows that the data folder is read-only, and continues once it is not', async ({ start }) => {
  test.skip(!canMount(), NEEDS_MOUNT)
  const disk = smallDisk(100)
  try {
    const dataDir = join(disk.folder, 'data')
    disk.remount('ro')
    const desktop = await start({ dataDir, env: owner })
    const page = await desktop.page(startPage)
    await expect(page.getByRole('alert')).toContainText('cannot be written to: its disk is read-only')
    disk.remount('rw')
    await page.getByRole('link', { name: 'Try Again' }).click()
    await expect((await desktop.page()).getByRole('navigation').first()).toBeVisible()
    await desktop.stop()
  } finally {
    disk.clear()
  }
})

test('keeps what is typed while the disk is full, and starts on it', async ({ start, folder }) => {
  test.skip(!canMount(), NEEDS_MOUNT)
  const disk = smallDisk(100)
  try {
    const dataDir = join(disk.folder, 'data')
    // Chromium's own files lie on another disk, because a full one can end it.
    mkdirSync(dataDir)
    mkdirSync(folder.path('window'))
    symlinkSync(folder.path('window'), join(dataDir, 'window'))
    const desktop = await start({ dataDir, env: owner })
    const page = await desktop.page()
    await expect(page.getByRole('navigation').first()).toBeVisible()
    const { origin } = new URL(page.url())
    const headers = { 'private-token': owner.DESKFORGE_ROOT_TOKEN, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'full', initialize_with_readme: true })
    const made = await fetch(`${origin}/api/v4/projects`, { method: 'POST', headers, body })
    expect(made.status).toBe(201)
    await page.goto(`${origin}/root/full/-/edit/main/README.md`)
    const editor = new EditorPage(page)
    await expect(editor.text).toContainText('full')
    await editor.append('One more line')
    await expect(editor.commit).toBeEnabled()
    disk.fill()
    await editor.commit.click()
    await expect(page.getByText('There is no space left on the disk').first()).toBeVisible()
    disk.makeRoom()
    await expect(editor.text).toContainText('One more line')
    await editor.commit.click()
    await expect(page).toHaveURL(/\/-\/blob\/main\/README\.md$/)
    await expect(page.getByText('One more line').first()).toBeVisible()
    await desktop.stop()
    // What is there can be read, also after a start on the full disk.
    disk.fill()
    const second = await start({ dataDir, env: owner })
    const again = await opened(second)
    await again.goto(`${new URL(again.url()).origin}/root/full/-/blob/main/README.md`)
    await expect(again.getByText('One more line').first()).toBeVisible()
    await second.stop()
  } finally {
    disk.clear()
  }
})

test('says that the preload script failed, and the page goes on', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  const boxes = await desktop.evaluate(({ BrowserWindow, dialog }) => {
    const asked: string[] = []
    dialog.showMessageBox = (...args: unknown[]) => {
      asked.push((args.at(-1) as { message: string }).message)
      return Promise.resolve({ response: 0, checkboxChecked: false })
    }
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    for (let times = 0; times < 2; times += 1)
      contents?.emit('preload-error', {}, '/preload.cjs', new Error('it is damaged'))
    return asked
  })
  expect(boxes).toEqual(['A part of Deskforge could not be loaded.'])
  expect(desktop.output()).toContain('it is damaged')
  await page.getByRole('link', { name: 'Projects' }).first().click()
  await expect(page).toHaveURL(/\/projects$/)
})
