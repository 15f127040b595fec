import { execFileSync } from 'node:child_process'
import { writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { expect, isReal, owner, test } from '../desktop.ts'
import { answerBoxes, boxes, opened, windowCount } from '../press.ts'

test('the application opens a window on its own instance and signs the owner in @core', async ({
  desktop,
}) => {
  const page = await opened(desktop)
  expect(await page.evaluate(() => 'desktop' in window)).toBe(true)
  expect(desktop.output()).toContain(`Deskforge is ready at ${new URL(page.url()).origin}`)
})

test('the application shows the first run on an empty data folder', async ({ start }) => {
  const page = await (await start()).page()
  await expect(page).toHaveURL(/\/-\/first_run$/)
})

test('a second start shows the window and opens the page of its deep link @core', async ({
  desktop,
  start,
}) => {
  const page = await opened(desktop)
  await desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize())
  const second = await start({
    dataDir: desktop.dataDir,
    env: owner,
    args: ['deskforge://dashboard/groups'],
  })
  expect(await second.ended).toBe(0)
  await expect(page).toHaveURL(/\/groups$/)
  const isMinimized = desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isMinimized())
  expect(await isMinimized).toBe(false)
  expect(await windowCount(desktop)).toBe(1)
})

test('a deep link opens its page at the first start, also with a damaged window state', async ({
  start,
  folder,
}) => {
  mkdirSync(join(folder.path('data'), 'window'), { recursive: true })
  writeFileSync(join(folder.path('data'), 'window/state.json'), '{"width":"wide",')
  const page = await opened(await start({ env: owner, args: ['deskforge://dashboard/groups'] }))
  await expect(page).toHaveURL(/\/groups$/)
})

test('a deep link to another host opens a page of the instance', async ({ start }) => {
  const page = await opened(await start({ env: owner, args: ['deskforge:////evil.example/x'] }))
  expect(new URL(page.url()).hostname).toBe('127.0.0.1')
})

test('a dropped repository becomes a project, and its push commands work', async ({ start, folder }) => {
  const dropped = folder.path('Tide Tables')
  mkdirSync(dropped)
  const git = (...args: string[]) => execFileSync('git', ['-C', dropped, ...args], { encoding: 'utf8' })
  git('init', '--quiet', '--initial-branch=main')
  git(
    '-c',
    'user.name=A',
    '-c',
    'user.email=a@example.com',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'Begin',
  )
  const desktop = await start({ env: owner, args: [dropped] })
  const page = await desktop.page()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Tide Tables')
  if (!isReal) {
    const recent = ({ app }: typeof import('electron')) =>
      (app as unknown as { recentDocuments: string[] }).recentDocuments
    expect(await desktop.evaluate(recent)).toEqual([dropped])
  }
  const { origin, host } = new URL(page.url())
  const commands = page.getByRole('region', { name: 'Push an existing folder' }).locator('code')
  await expect(commands).toHaveText([
    `git remote add deskforge ${origin}/root/tide-tables.git`,
    'git push deskforge --all',
  ])
  await expect(page.getByLabel('Initialize with a README')).not.toBeChecked()
  await page.getByRole('button', { name: 'Create project' }).click()
  await expect(page.getByRole('heading', { name: 'This repository is empty' })).toBeVisible()
  // The credentials that git would ask for are in the URL.
  const address = `http://root:${owner.DESKFORGE_ROOT_TOKEN}@${host}/root/tide-tables.git`
  git('remote', 'add', 'deskforge', address)
  git('push', '--quiet', 'deskforge', '--all')
  await expect(page.getByRole('heading', { name: 'This repository is empty' })).toBeHidden()
})

test('a second start opens its folder, and reports an error for other arguments', async ({
  desktop,
  start,
  folder,
}) => {
  const page = await opened(desktop)
  const { dataDir } = desktop
  await answerBoxes(desktop, 0)
  mkdirSync(folder.path('notes'))
  const second = await start({ dataDir, env: owner, args: [folder.path('notes')] })
  expect(await second.ended).toBe(0)
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('notes')
  await expect(page.getByRole('region', { name: 'Push an existing folder' })).toHaveCount(0)
  const file = folder.path('letter.txt')
  writeFileSync(file, '')
  const third = await start({ dataDir, env: owner, args: [file] })
  expect(await third.ended).toBe(0)
  await expect.poll(() => boxes(desktop)).toEqual([expect.stringContaining(`${file} is a file.`)])
  // macOS opens a folder with this event.
  await desktop.evaluate(({ app }, path) => {
    app.emit('open-file', { preventDefault: () => undefined }, path)
  }, folder.path('gone'))
  await expect.poll(() => boxes(desktop)).toContainEqual(expect.stringContaining('There is no folder'))
})
