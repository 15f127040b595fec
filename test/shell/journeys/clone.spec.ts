import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, owner, test } from '../desktop.ts'

test('a private project is cloned to a folder, without a trace of the token, and opened in an editor', async ({
  start,
  folder,
}) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  const { origin } = new URL(page.url())
  const headers = { 'private-token': owner.DESKFORGE_ROOT_TOKEN, 'content-type': 'application/json' }
  const ask = async (method: string, path: string, body?: object) => {
    const given = body ? { body: JSON.stringify(body) } : {}
    const answer = await fetch(`${origin}/api/v4${path}`, { method, headers, ...given })
    const text = await answer.text()
    expect(answer.status, text).toBeLessThan(300)
    return JSON.parse(text) as { name: string; revoked: boolean }[]
  }
  await ask('POST', '/projects', { name: 'nightly', visibility: 'private', initialize_with_readme: true })
  const parent = folder.path('work')
  mkdirSync(parent)
  await desktop.evaluate(({ dialog, shell }, chosen) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] })
    shell.openExternal = async (url) => void Object.assign(globalThis, { openedOutside: url })
  }, parent)

  await page.goto(`${origin}/root/nightly`)
  const more = page.getByRole('button', { name: 'More ways to clone' })
  await more.click()
  await page.getByRole('menuitem', { name: 'Clone to folder' }).click()
  const clone = join(parent, 'nightly')
  await expect(page.getByText(`Cloned to ${clone}`)).toBeVisible({ timeout: 30_000 })
  expect(existsSync(join(clone, 'README.md'))).toBe(true)
  const config = readFileSync(join(clone, '.git/config'), 'utf8')
  expect(config).toContain(`url = ${origin}/root/nightly.git`)
  expect(config).not.toContain('Authorization')
  const tokens = async () =>
    (await ask('GET', '/personal_access_tokens?search=Clone')).map(({ name, revoked }) => ({ name, revoked }))
  await expect.poll(tokens).toEqual([{ name: 'Clone to folder', revoked: true }])

  await more.click()
  await page.getByRole('menuitem', { name: 'Clone to folder' }).click()
  await expect(page.getByText(`There is a folder at ${clone} already.`)).toBeVisible()

  await more.click()
  await page.getByRole('menuitem', { name: 'Open in Visual Studio Code' }).click()
  const external = () => desktop.evaluate(() => (globalThis as { openedOutside?: string }).openedOutside)
  await expect
    .poll(external)
    .toBe(`vscode://vscode.git/clone?url=${encodeURIComponent(`${origin}/root/nightly.git`)}`)
})

test('the page cannot clone from elsewhere or to a folder that is not there', async ({ start, folder }) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  const { origin } = new URL(page.url())
  const cases = [
    { parent: folder.path('none'), url: `${origin}/root/a.git`, name: 'a' },
    { parent: folder.path('.'), url: 'http://elsewhere.example/a.git', name: 'a' },
    { parent: folder.path('.'), url: `${origin}/root/a.git`, name: '../a' },
  ]
  for (const { parent, ...request } of cases) {
    const answer = await page.evaluate(
      ([at, given]) => {
        const bridge = Reflect.get(window, 'desktop') as {
          clone(at: string, given: object): Promise<unknown>
        }
        return bridge.clone(at, { ...given, username: 'root', token: 'x' })
      },
      [parent, request] as const,
    )
    expect(answer).toEqual({ problem: 'This repository cannot be cloned to that folder.' })
  }
})
