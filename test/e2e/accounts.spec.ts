import { generateKey } from 'openpgp'

import { App } from './pages/app.ts'
import { SignInPage } from './pages/sign-in.ts'
import { expect, test } from './support/instance.ts'

test('a new user creates an account, waits for approval, and signs in', async ({
  view,
  instance,
  browser,
}) => {
  const context = await browser.newContext({ baseURL: instance.url })
  const hers = await context.newPage()
  await hers.goto('/users/sign_in')
  await hers.getByRole('link', { name: 'Create account' }).click()
  await hers.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
  await hers.getByLabel('Username').fill('root')
  await hers.getByLabel('Email').fill('ada@example.test')
  await hers.getByLabel('Password', { exact: true }).fill('analytical engine 1843')
  await hers.getByRole('button', { name: 'Create account' }).click()
  await expect(hers.getByText(/already been taken/).first()).toBeVisible()
  await hers.getByLabel('Username').fill('ada')
  await hers.getByRole('button', { name: 'Create account' }).click()
  await expect(hers.getByRole('heading', { name: 'Almost there' })).toBeVisible()
  await hers.getByRole('link', { name: 'Back to sign-in' }).click()
  const page = new SignInPage(hers)
  await page.fill('ada', 'analytical engine 1843')
  await page.button.click()
  await expect(hers.getByText(/pending approval/)).toBeVisible()

  const app = new App(view, instance)
  await app.enter('/admin/users/ada')
  await view.getByRole('button', { name: 'Approve', exact: true }).click()
  await expect(app.message('@ada approved')).toBeVisible()
  await page.fill('ada', 'analytical engine 1843')
  await page.button.click()
  await expect(hers.getByRole('navigation', { name: 'Main navigation' })).toBeVisible()
  await context.close()
})

test('a password link sets a new password once', async ({ view, instance, browser }) => {
  const app = new App(view, instance)
  const params = { password: 'analytical engine 1843', skip_confirmation: true }
  await instance.api('POST', '/users', { name: 'Ada', username: 'ada', email: 'ada@example.test', ...params })
  await app.enter('/admin/users/ada')
  await view.getByRole('button', { name: 'Password link' }).click()
  const link = await view.getByText(/\/-\/password_reset\?token=/).innerText()

  const context = await browser.newContext({ baseURL: instance.url })
  const hers = await context.newPage()
  await hers.goto(link.trim())
  await hers.getByLabel('New password', { exact: true }).fill('short')
  await hers.getByRole('button', { name: 'Set password' }).click()
  await expect(hers.getByText(/too short/)).toBeVisible()
  await hers.getByLabel('New password', { exact: true }).fill('a lighthouse in the fog')
  await hers.getByRole('button', { name: 'Set password' }).click()
  await hers.getByRole('link', { name: 'Sign in' }).click()
  const page = new SignInPage(hers)
  await page.fill('ada', 'a lighthouse in the fog')
  await page.button.click()
  await expect(hers.getByRole('navigation', { name: 'Main navigation' })).toBeVisible()

  await hers.goto(link.trim())
  await hers.getByLabel('New password', { exact: true }).fill('another lighthouse')
  await hers.getByRole('button', { name: 'Set password' }).click()
  await expect(hers.getByRole('alert')).toBeVisible()
  await context.close()
})

test('a GPG key is added, refused twice, and revoked', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { publicKey } = await generateKey({
    userIDs: [{ name: 'Rosa', email: 'rosa@example.test' }],
    format: 'armored',
  })
  await app.enter('/-/profile/gpg_keys')
  await expect(view.getByRole('heading', { name: 'No GPG keys' })).toBeVisible()
  const add = async (key: string) => {
    await view.keyboard.press('n')
    await view.getByLabel('Public key').fill(key)
    await view.getByRole('button', { name: 'Add key' }).click()
  }
  await add('not a key')
  await expect(view.getByRole('dialog').getByText(/begins with/)).toBeVisible()
  await view.getByLabel('Public key').fill(publicKey)
  await view.getByRole('button', { name: 'Add key' }).click()
  await expect(app.message('Key added')).toBeVisible()
  await expect(view.getByRole('list', { name: 'GPG keys' }).getByRole('listitem')).toHaveCount(1)

  await view.getByRole('button', { name: 'Revoke…' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(view.getByRole('heading', { name: 'No GPG keys' })).toBeVisible()
  await add(publicKey)
  await expect(view.getByRole('dialog').getByRole('alert').first()).toBeVisible()
})
