import { execFileSync } from 'node:child_process'
import { writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { expect, isReal, owner, test, type Desktop } from '../desktop.ts'

const windowCount = (desktop: Desktop) =>
  desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)

test('opens a window on its own instance and signs the owner in @core', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  expect(await page.evaluate(() => 'desktop' in window)).toBe(true)
  expect(desktop.output()).toContain(`Deskforge is ready at ${new URL(page.url()).origin}`)
})

test('shows the first run on an empty data folder @core', async ({ start }) => {
  const page = await (await start()).page()
  await expect(page).toHaveURL(/\/-\/first_run$/)
})

test('a second start shows the window and opens the page of its deep link', async ({ start }) => {
  const first = await start({ env: owner })
  const page = await first.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  await first.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize())
  const second = await start({ env: owner, args: ['deskforge://dashboard/groups'] })
  expect(await second.ended).toBe(0)
  await expect(page).toHaveURL(/\/groups$/)
  const isMinimized = first.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isMinimized())
  expect(await isMinimized).toBe(false)
  expect(await windowCount(first)).toBe(1)
})

test('a deep link to another host opens nothing', async ({ start }) => {
  const desktop = await start({ env: owner, args: ['deskforge:////evil.example/x'] })
  const page = await desktop.page()
  expect(new URL(page.url()).hostname).toBe('127.0.0.1')
})

test('opens with a damaged window state', async ({ start, folder }) => {
  const dataDir = folder.path('data')
  mkdirSync(join(dataDir, 'window'), { recursive: true })
  writeFileSync(join(dataDir, 'window/state.json'), '{"width":"wide",')
  const page = await (await start({ dataDir, env: owner })).page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
})

/** Collects the sentences of the system's message boxes. */
const collectBoxes = (desktop: Desktop) =>
  desktop.evaluate(({ dialog }) => {
    const boxes: string[] = []
    Object.assign(globalThis, { boxes })
    dialog.showMessageBox = (...args: unknown[]) => {
      boxes.push((args.at(-1) as { message: string }).message)
      return Promise.resolve({ response: 0, checkboxChecked: false })
    }
  })
const boxes = (desktop: Desktop) => desktop.evaluate(() => (globalThis as { boxes?: string[] }).boxes)

test('a dropped repository becomes a project, and its push commands work @core', async ({
  start,
  folder,
}) => {
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
  // What git would ask for is in the address here.
  const address = `http://root:${owner.DESKFORGE_ROOT_TOKEN}@${host}/root/tide-tables.git`
  git('remote', 'add', 'deskforge', address)
  git('push', '--quiet', 'deskforge', '--all')
  await expect(page.getByRole('heading', { name: 'This repository is empty' })).toBeHidden()
})

test('a second start brings its folder, and anything else gets a sentence', async ({ start, folder }) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  await collectBoxes(desktop)
  mkdirSync(folder.path('notes'))
  const second = await start({ env: owner, args: [folder.path('notes')] })
  expect(await second.ended).toBe(0)
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('notes')
  await expect(page.getByRole('region', { name: 'Push an existing folder' })).toHaveCount(0)
  const file = folder.path('letter.txt')
  writeFileSync(file, '')
  const third = await start({ env: owner, args: [file] })
  expect(await third.ended).toBe(0)
  await expect.poll(() => boxes(desktop)).toEqual([expect.stringContaining(`${file} is a file.`)])
  // As macOS asks.
  await desktop.evaluate(({ app }, path) => {
    app.emit('open-file', { preventDefault: () => undefined }, path)
  }, folder.path('gone'))
  await expect.poll(() => boxes(desktop)).toContainEqual(expect.stringContaining('There is no folder'))
})

test('a deep link opens its page at the first start', async ({ start }) => {
  const page = await (await start({ env: owner, args: ['deskforge://dashboard/groups'] })).page()
  await expect(page).toHaveURL(/\/groups$/)
})
