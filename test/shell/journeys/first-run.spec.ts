import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from '@playwright/test'

import { expect, homeIn, isReal, test } from '../desktop.ts'
import { boxesOfStart, choosePath, opened } from '../press.ts'

// As a new user starts it: without an argument for the data folder, and without an account.

test.skip(isReal, 'a real application restarts out of sight of the journey')

async function fillIn(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Mara Lindqvist')
  await page.getByRole('textbox', { name: 'Username' }).fill('mara')
  await page.getByRole('textbox', { name: 'Email' }).fill('mara@saltmarsh.test')
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill('a harbour at low tide')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Data folder', level: 1 })).toBeVisible()
}

test('the first run shows the usual data folder and lets the user choose another one', async ({
  start,
  folder,
}) => {
  const { env, dataDir: usual } = homeIn(folder.path('home'))
  const first = await start({ dataDir: null, env })
  const page = await first.page()
  await expect(page).toHaveURL(/\/-\/first_run$/)
  await fillIn(page)
  await expect(page.getByText(usual)).toBeVisible()

  // A folder with other files would mix them with those of the instance.
  const letters = folder.path('letters')
  mkdirSync(letters)
  writeFileSync(join(letters, 'letter.txt'), '')
  await choosePath(first, letters)
  await page.getByRole('button', { name: 'Choose…' }).click()
  await expect
    .poll(async () => (await boxesOfStart(first)).map(({ message }) => message))
    .toEqual([expect.stringContaining(`The folder ${letters} has other files and no data of Deskforge.`)])

  const disk = folder.path('disk')
  mkdirSync(join(disk, 'lost+found'), { recursive: true })
  await choosePath(first, disk)
  await page.getByRole('button', { name: 'Choose…' }).click()
  expect(await first.ended).toBe(0)
  expect(first.output()).toContain('[relaunch]')
  expect(readdirSync(letters)).toEqual(['letter.txt'])

  const second = await start({ dataDir: null, env })
  const again = await second.page()
  await fillIn(again)
  await expect(again.getByText(disk)).toBeVisible()
  await again.getByRole('button', { name: 'Continue' }).click()
  await again.getByRole('radio', { name: 'Create a project' }).check()
  await again.getByRole('textbox', { name: 'Project name' }).fill('tern')
  await again.getByRole('button', { name: 'Continue' }).click()
  await again.getByRole('button', { name: 'Open Deskforge' }).click()
  await expect(again.getByRole('heading', { name: 'tern', level: 1 }).first()).toBeVisible()
  expect(existsSync(join(disk, 'deskforge.db'))).toBe(true)
  await second.stop()

  // The owner is signed in at every later start.
  const third = await opened(await start({ dataDir: null, env }))
  await third.getByRole('link', { name: 'Projects' }).first().click()
  await expect(third.getByRole('link', { name: 'tern' }).first()).toBeVisible()
})
