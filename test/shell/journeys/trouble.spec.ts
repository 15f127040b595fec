import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, owner, test } from '../desktop.ts'

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
  writeFileSync(git, '#!/bin/sh\nexec git "$@"\n')
  chmodSync(git, 0o755)
  await page.getByRole('link', { name: 'Try Again' }).click()
  await expect((await desktop.page()).getByRole('navigation').first()).toBeVisible()
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
