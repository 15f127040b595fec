import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from '../desktop.ts'
import { ask, choosePath, keepInside, opened, openedOutside } from '../press.ts'

test('a private project is cloned to a folder, without the token in its configuration, and opened in an editor', async ({
  desktop,
  folder,
}) => {
  const page = await opened(desktop)
  const { origin } = new URL(page.url())
  await ask(origin, 'POST', '/projects', {
    name: 'nightly',
    visibility: 'private',
    initialize_with_readme: true,
  })
  const parent = folder.path('work')
  mkdirSync(parent)
  await choosePath(desktop, parent)
  await keepInside(desktop)

  await page.goto(`${origin}/root/nightly`)
  const more = page.getByRole('button', { name: 'More ways to clone' })
  await more.click()
  await page.getByRole('menuitem', { name: 'Clone to folder' }).click()
  const clone = join(parent, 'nightly')
  await expect(page.getByText(`Cloned to ${clone}`)).toBeVisible()
  expect(existsSync(join(clone, 'README.md'))).toBe(true)
  const config = readFileSync(join(clone, '.git/config'), 'utf8')
  expect(config).toContain(`url = ${origin}/root/nightly.git`)
  expect(config).not.toContain('Authorization')
  type Token = { name: string; revoked: boolean }
  const tokens = async () =>
    (await ask<Token[]>(origin, 'GET', '/personal_access_tokens?search=Clone')).map(({ name, revoked }) => ({
      name,
      revoked,
    }))
  await expect.poll(tokens).toEqual([{ name: 'Clone to folder', revoked: true }])

  await more.click()
  await page.getByRole('menuitem', { name: 'Clone to folder' }).click()
  await expect(page.getByText(`There is a folder at ${clone} already.`)).toBeVisible()

  await more.click()
  await page.getByRole('menuitem', { name: 'Open in Visual Studio Code' }).click()
  const repository = encodeURIComponent(`${origin}/root/nightly.git`)
  await expect.poll(() => openedOutside(desktop)).toEqual([`vscode://vscode.git/clone?url=${repository}`])
})

test('the page cannot clone from another host or to a missing folder', async ({ desktop, folder }) => {
  const page = await opened(desktop)
  const { origin } = new URL(page.url())
  const cases = [
    { parent: folder.path('none'), url: `${origin}/root/a.git`, name: 'a' },
    { parent: folder.path('.'), url: 'http://elsewhere.example/a.git', name: 'a' },
    { parent: folder.path('.'), url: `${origin}/root/a.git`, name: '../a' },
  ]
  for (const { parent, ...request } of cases) {
    const answer = await page.evaluate(
      ([at, fields]) => {
        const bridge = Reflect.get(window, 'desktop') as {
          clone(at: string, fields: object): Promise<unknown>
        }
        return bridge.clone(at, { ...fields, username: 'root', token: 'x' })
      },
      [parent, request] as const,
    )
    expect(answer).toEqual({ problem: 'This repository cannot be cloned to that folder.' })
  }
})
