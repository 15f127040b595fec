import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { EditorPage } from '../../e2e/pages/editor.ts'
import { canMount, NEEDS_MOUNT, smallDisk } from '../../support/small-disk.ts'
import { expect, homeIn, isReal, owner, test } from '../desktop.ts'
import { answerBoxes, ask, boxes, choosePath, copied, opened, openAnother } from '../press.ts'

const startPage = /^data:/

test('the application shows each reason why it cannot start, and continues after each is fixed', async ({
  start,
  folder,
}) => {
  const file = folder.path('not-a-folder')
  writeFileSync(file, '')
  const hasShell = process.platform !== 'win32'
  const env = { ...owner, ...(hasShell ? { DESKFORGE_GIT: folder.path('no-git') } : {}) }
  const desktop = await start({ dataDir: join(file, 'data'), env })
  const page = await desktop.page(startPage)
  const reason = page.getByRole('alert')
  await expect(reason).toContainText('cannot be written to')
  rmSync(file)
  await page.getByRole('link', { name: 'Try Again' }).click()

  // The other git is a shell script, which Windows cannot run.
  if (hasShell) {
    await expect(reason).toContainText('cannot be run')
    const git = folder.path('git')
    writeFileSync(git, '#!/bin/sh\nexec git "$@"\n', { mode: 0o755 })
    await choosePath(desktop, git)
    await page.getByRole('link', { name: 'Choose Git…' }).click()
  }
  await opened(desktop)
})

test('another data folder is chosen on the page of a failed start', async ({ start, folder }) => {
  test.skip(isReal, 'a real application restarts out of sight of the journey')
  writeFileSync(folder.path('not-a-folder'), '')
  const env = { ...owner, ...homeIn(folder.path('home')).env }
  const args = ['--data-dir', join(folder.path('not-a-folder'), 'data')]
  const first = await start({ dataDir: null, args, env })
  const page = await first.page(startPage)
  await expect(page.getByRole('alert')).toContainText('cannot be written to')
  mkdirSync(folder.path('disk'))
  await choosePath(first, folder.path('disk'))
  // The page may close before the click is reported.
  await page
    .getByRole('link', { name: 'Choose Data Folder…' })
    .click()
    .catch(() => undefined)
  expect(await first.ended).toBe(0)
  // The argument with the old folder would override the choice.
  const [, again = '{}'] = /^\[relaunch\] (.+)$/m.exec(first.output()) ?? []
  expect((JSON.parse(again) as { args: string[] }).args.slice(1)).toEqual(['--port', '0'])
  await opened(await start({ dataDir: null, env }))
  expect(readdirSync(folder.path('disk'))).toContain('deskforge.db')
})

test('an unusable data folder can be replaced by another choice', async ({ start, folder }) => {
  test.skip(process.platform === 'win32', 'Windows has other permissions')
  const home = homeIn(folder.path('home'))
  const open = folder.path('open')
  mkdirSync(join(home.dataDir, 'window'), { recursive: true })
  mkdirSync(open)
  writeFileSync(join(open, 'letter.txt'), '')
  chmodSync(open, 0o777)
  writeFileSync(join(home.dataDir, 'window/data-folder.json'), JSON.stringify({ folder: open }))
  const desktop = await start({ dataDir: null, env: { ...owner, ...home.env } })
  const page = await desktop.page(startPage)
  await expect(page.getByRole('alert')).toContainText(`Everyone can write to the folder ${open}.`)
  await expect(page.getByRole('link', { name: 'Choose Data Folder…' })).toBeVisible()
  if (isReal) return
  await page.getByRole('link', { name: 'Show Log' }).click()
  await page.getByRole('link', { name: 'Copy Details' }).click()
  await expect.poll(() => copied(desktop)).toMatch(/^Deskforge .*Everyone can write to the folder/s)
  const shown = await desktop.evaluate(({ shell }) => (shell as unknown as { opened: string[] }).opened)
  expect(shown).toEqual([join(open, 'logs')])
})

test('the application creates no empty instance if the chosen data folder is missing', async ({
  start,
  folder,
}) => {
  const home = homeIn(folder.path('home'))
  mkdirSync(join(home.dataDir, 'window'), { recursive: true })
  const missing = folder.path('unplugged')
  writeFileSync(join(home.dataDir, 'window/data-folder.json'), JSON.stringify({ folder: missing }))
  const desktop = await start({ dataDir: null, env: { ...owner, ...home.env } })
  const page = await desktop.page(startPage)
  await expect(page.getByRole('alert')).toContainText(`The data folder ${missing} is not there.`)
  if (!isReal) {
    // This window cannot navigate elsewhere either.
    const menu = ({ BrowserWindow }: typeof import('electron')) =>
      (BrowserWindow.getAllWindows()[0] as unknown as { menu: unknown }).menu
    expect(await desktop.evaluate(menu)).toBeNull()
  }
  await page.getByRole('link', { name: 'Quit' }).click()
  expect(await desktop.ended).toBe(1)
})

test('the application shows that it is starting while git hangs, and the error after it gives up', async ({
  start,
  folder,
}) => {
  test.skip(process.platform === 'win32', 'the git that hangs is a script of the shell')
  const git = folder.path('hanging-git')
  writeFileSync(git, '#!/bin/sh\nexec sleep 60\n')
  chmodSync(git, 0o755)
  const desktop = await start({ env: { ...owner, DESKFORGE_GIT: git } })
  const page = await desktop.page(startPage)
  await expect(page.getByRole('heading')).toHaveText('Deskforge is starting')
  await expect(page.getByRole('alert')).toContainText('does not answer like git')
})

test('the application shows that another instance uses the data folder, and starts when it ends', async ({
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

test('two users of one computer have separate instances', async ({ desktop, start }) => {
  const first = await opened(desktop)
  const { port } = new URL(first.url())
  const second = await opened(await start({ env: owner, port: Number(port) }))
  expect(new URL(second.url()).port).not.toBe(port)
  const status = (page: typeof first) => page.evaluate(async () => (await fetch('/-/readiness')).status)
  expect([await status(first), await status(second)]).toEqual([200, 200])
})

test('the application shows that the data folder is read-only, and continues once it is not', async ({
  start,
}) => {
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
    await opened(desktop)
    await desktop.stop()
  } finally {
    disk.clear()
  }
})

test('the application keeps typed text while the disk is full, and starts on the full disk', async ({
  start,
  folder,
}) => {
  test.skip(!canMount(), NEEDS_MOUNT)
  const disk = smallDisk(100)
  try {
    const dataDir = join(disk.folder, 'data')
    // Chromium's own files are on another disk, because Chromium may crash on a full one.
    mkdirSync(dataDir)
    mkdirSync(folder.path('window'))
    symlinkSync(folder.path('window'), join(dataDir, 'window'))
    const desktop = await start({ dataDir, env: owner })
    const page = await opened(desktop)
    const { origin } = new URL(page.url())
    await ask(origin, 'POST', '/projects', { name: 'full', initialize_with_readme: true })
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
    // The data can be read, also after a start on the full disk.
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

test('the application reports that the preload script failed, and shows the page', async ({ desktop }) => {
  // The message appears once for each window.
  const page = await openAnother(desktop)
  await answerBoxes(desktop, 0)
  await desktop.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    for (let times = 0; times < 2; times += 1)
      contents?.emit('preload-error', {}, '/preload.cjs', new Error('it is damaged'))
  })
  expect(await boxes(desktop)).toEqual([expect.stringMatching(/^A part of Deskforge could not be loaded\./)])
  expect(desktop.output()).toContain('it is damaged')
  await page.getByRole('link', { name: 'Projects' }).first().click()
  await expect(page).toHaveURL(/\/projects$/)
})
