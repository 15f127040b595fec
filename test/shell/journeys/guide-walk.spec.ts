import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from '@playwright/test'

import { walk } from '../../support/guide.ts'
import { expect, isReal, owner, test, type Desktop } from '../desktop.ts'

/** Selects an item of the application's menu by the labels of its path. */
const pressMenu = (desktop: Desktop, ...labels: string[]) =>
  desktop.evaluate(({ Menu }, path) => {
    let items = Menu.getApplicationMenu()?.items ?? []
    for (const [index, label] of path.entries()) {
      const item = items.find((entry) => entry.label === label)
      if (!item) throw new Error(`The menu has no "${label}".`)
      if (index === path.length - 1) item.click()
      items = item.submenu?.items ?? []
    }
  }, labels)

const opened = async (desktop: Desktop): Promise<Page> => {
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  return page
}

const tray = (desktop: Desktop) =>
  desktop.evaluate(({ Tray }) => {
    const { all } = Tray as unknown as { all: { menu: { items: { label: string }[] } }[] }
    return all[0]?.menu.items.map((item) => item.label) ?? []
  })

const post = async (origin: string, path: string, body: object) => {
  const headers = { 'private-token': owner.DESKFORGE_ROOT_TOKEN, 'content-type': 'application/json' }
  const answer = await fetch(`${origin}/api/v4${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  expect(answer.status).toBe(201)
}

test('install.md: the first run, the address, the preferences and the folder', async ({ start, folder }) => {
  const page = walk('install')
  const desktop = await start()
  const view = await desktop.page()
  await view.getByRole('textbox', { name: 'Name', exact: true }).fill('Mara Lindqvist')
  await view.getByRole('textbox', { name: 'Username' }).fill('mara')
  await view.getByRole('textbox', { name: 'Email' }).fill('mara@saltmarsh.test')
  await view.getByRole('textbox', { name: 'Password', exact: true }).fill('a harbour at low tide')
  await view.getByRole('button', { name: 'Continue' }).click()
  await expect(view.getByText(folder.path('data')).first()).toBeVisible()
  await expect(view.getByRole('button', { name: page.name('Choose…') })).toBeVisible()
  await view.getByRole('button', { name: 'Continue' }).click()
  await view.getByRole('radio', { name: 'Create a project' }).check()
  await view.getByRole('textbox', { name: 'Project name' }).fill('tern')
  await view.getByRole('button', { name: 'Continue' }).click()
  const { origin } = new URL(view.url())
  await expect(view.getByText(origin, { exact: true }).first()).toBeVisible()
  await view.getByRole('button', { name: 'Open Deskforge' }).click()
  await expect(view.getByRole('heading', { name: 'tern', level: 1 }).first()).toBeVisible()

  await pressMenu(desktop, page.name('File'), page.name('Copy Address'))
  expect(await desktop.evaluate(({ clipboard }) => clipboard.readText())).toBe(origin)
  await pressMenu(desktop, 'File', page.name('Preferences…'))
  for (const name of page.names('Move…', 'Use another…', 'Check now'))
    await expect(view.getByRole('button', { name })).toBeVisible()
  await expect(view.getByRole('switch', { name: page.name('Quit when the window closes') })).not.toBeChecked()
  page.done()
})

test('application.md: the tray, a folder, a link, the preferences', async ({ start, folder }) => {
  const page = walk('guide/application', { values: { '~/tern': '', 'USER/PROJECT': 'root/tern' } })
  const desktop = await start({ env: owner })
  const view = await opened(desktop)
  const { origin, host } = new URL(view.url())
  await post(origin, '/projects', { name: 'tern', initialize_with_readme: true })
  await view.goto(`${origin}/root/tern`)
  if (!isReal) {
    await expect.poll(() => tray(desktop)).toContain('tern')
    const labels = await tray(desktop)
    expect(labels).toEqual(
      expect.arrayContaining([expect.stringContaining(host), 'No jobs are running', 'Copy Address', 'Quit']),
    )
  }

  // The command of the page opens the form for a folder in the running application.
  expect(page.block('deskforge').trim()).toBe('deskforge')
  const dropped = folder.path('gauges')
  mkdirSync(dropped)
  execFileSync('git', ['-C', dropped, 'init', '--quiet'])
  expect(await (await start({ env: owner, args: [dropped] })).ended).toBe(0)
  await expect(view.getByLabel('Name', { exact: true })).toHaveValue('gauges')
  const commands = view.getByRole('region', { name: 'Push an existing folder' }).locator('code')
  await expect(commands).toHaveCount(2)
  expect(page.quote('deskforge://USER/PROJECT')).toBeTruthy()
  expect(await (await start({ env: owner, args: ['deskforge://root/tern'] })).ended).toBe(0)
  await expect(view).toHaveURL(`${origin}/root/tern`)

  const menu = view.getByRole('button', { name: page.name('Menu'), exact: true })
  if (process.platform !== 'darwin') await expect(menu).toBeVisible()
  await pressMenu(desktop, page.name('File'), page.name('Preferences…'))
  for (const name of page.names('Language', 'Theme')) await expect(view.getByLabel(name)).toBeVisible()
  for (const name of page.names(
    'Open at login',
    'Quit when the window closes',
    'Show notifications',
    'Check for updates daily',
  ))
    await expect(view.getByRole('switch', { name })).toBeVisible()
  for (const name of page.names('Port', 'Release URL')) await expect(view.getByLabel(name)).toBeVisible()
  for (const name of page.names('Move…', 'Use another…', 'Check now'))
    await expect(view.getByRole('button', { name })).toBeVisible()
  for (const name of page.names('Data folder', 'Git', 'Runner'))
    await expect(view.getByText(name, { exact: true }).first()).toBeVisible()
  await view.getByRole('link', { name: 'Runner settings' }).click()
  await expect(view.getByRole('heading', { name: 'This computer' })).toBeVisible()
  // The page sets the language of a browser. The application has it in its preferences.
  await view
    .getByRole('navigation', { name: 'Main navigation' })
    .getByRole('link', { name: page.name('Settings') })
    .click()
  await expect(view.getByRole('heading', { name: page.name('Profile'), level: 1 })).toBeVisible()
  page.done()
})

test('git.md: clone to a folder without a password', async ({ start, folder }) => {
  const page = walk('guide/git', { sections: ['Git over HTTP and SSH'] })
  const desktop = await start({ env: owner })
  const view = await opened(desktop)
  const { origin } = new URL(view.url())
  await post(origin, '/projects', { name: 'tern', initialize_with_readme: true })
  mkdirSync(folder.path('work'))
  await desktop.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] })
  }, folder.path('work'))
  await view.goto(`${origin}/root/tern`)
  await expect(view.getByRole('heading', { name: page.name('Clone') })).toBeVisible()
  await view.getByRole('button', { name: 'More ways to clone' }).click()
  await view.getByRole('menuitem', { name: page.name('Clone to folder') }).click()
  await expect.poll(() => existsSync(join(folder.path('work'), 'tern/README.md'))).toBe(true)
  page.done()
})

test('troubleshooting.md: what a start says, and what the menu helps with', async ({ start, folder }) => {
  test.skip(process.platform === 'win32', 'the git of this walk is a script of the shell')
  const page = walk('guide/troubleshooting')
  const git = folder.path('no-git')
  const desktop = await start({ env: { ...owner, DESKFORGE_GIT: git } })
  const failed = await desktop.page(/^data:/)
  await expect(failed.getByRole('alert')).toContainText('git')
  for (const name of page.names('Try Again', 'Choose Git…'))
    await expect(failed.getByRole('link', { name })).toBeVisible()
  // Other journeys cover the two remaining messages: a packed application shows the first, and an unusable folder the second.
  page.names('Use Bundled Git', 'Choose Data Folder…')
  writeFileSync(git, '#!/bin/sh\nexec git "$@"\n', { mode: 0o755 })
  await failed.getByRole('link', { name: 'Try Again' }).click()
  const view = await opened(desktop)

  await view
    .getByRole('navigation', { name: 'Main navigation' })
    .getByRole('link', { name: page.name('Runners') })
    .click()
  await expect(view.getByRole('heading', { name: 'Runners', level: 1 })).toBeVisible()
  await pressMenu(desktop, 'File', page.name('Preferences…'))
  await expect(view.getByLabel('Port')).toBeVisible()
  await desktop.evaluate(({ shell }) => {
    shell.openPath = async (path) => {
      Object.assign(globalThis, { openedPath: path })
      return ''
    }
  })
  await pressMenu(desktop, page.name('Help'), page.name('Show Logs'))
  await expect
    .poll(() => desktop.evaluate(() => (globalThis as { openedPath?: string }).openedPath))
    .toBe(join(folder.path('data'), page.quote('logs')))
  expect(existsSync(join(folder.path('data'), 'logs'))).toBe(true)
  await pressMenu(desktop, 'Help', page.name('Copy Details'))
  expect(await desktop.evaluate(({ clipboard }) => clipboard.readText())).toMatch(/^Deskforge /)
  const report = folder.path('report.txt')
  await desktop.evaluate(({ dialog }, to) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath: to })
  }, report)
  await pressMenu(desktop, 'Help', page.name('Save Diagnostics…'))
  await expect.poll(() => existsSync(report)).toBe(true)
  page.done()
})
