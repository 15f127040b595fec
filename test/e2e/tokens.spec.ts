import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'

test('a token is shown once, and gives access to the API until it is revoked @ci', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const statusWith = async (token: string, path = '/user') => {
    const answer = await fetch(`${instance.url}/api/v4${path}`, { headers: { 'private-token': token } })
    return answer.status
  }
  await app.enter('/-/profile/personal_access_tokens')
  await expect(app.heading('Access tokens')).toBeVisible()
  await view.keyboard.press('n')
  const dialog = view.getByRole('dialog', { name: 'New access token' })
  await dialog.getByLabel('Name').fill('release script')
  await expect(dialog.getByRole('button', { name: 'Create token' })).toBeDisabled()
  await dialog.getByRole('checkbox', { name: /read_api/ }).check()
  await dialog.getByRole('button', { name: 'Create token' }).click()

  await expect(view.getByRole('heading', { name: '“release script” is ready' })).toBeVisible()
  const token = (await view.locator('.cmd code').textContent()) ?? ''
  expect(await statusWith(token)).toBe(200)
  const refused = await fetch(`${instance.url}/api/v4/projects`, {
    method: 'POST',
    headers: { 'private-token': token, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'not allowed' }),
  })
  expect(refused.status).toBe(403)

  await view.reload()
  const row = app.main.getByRole('listitem').filter({ hasText: 'release script' })
  await expect(row).toContainText('read_api')
  await expect(row).toContainText('used')
  await expect(app.main).not.toContainText(token)
  await row.getByRole('button', { name: 'Revoke…' }).click()
  await view
    .getByRole('dialog')
    .getByRole('button', { name: /^Revoke/ })
    .click()
  // Elements below an open dialog count as hidden, so the dialog must be closed first.
  await expect(view.getByRole('dialog')).toHaveCount(0)
  await expect(row).toHaveCount(0)
  expect(await statusWith(token)).toBe(401)
})
