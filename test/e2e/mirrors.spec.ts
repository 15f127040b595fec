import { App } from './pages/app.ts'
import { expect, owner, test } from './support/instance.ts'

test('a mirror of a repository is created, fails, is fixed and deleted', async ({ view, instance }) => {
  const app = new App(view, instance)
  await instance.api('PUT', '/application/settings', {
    allow_local_requests_from_web_hooks_and_services: true,
  })
  await instance.api('POST', '/projects', { name: 'heron', initialize_with_readme: true })
  const copy = await instance.api<{ id: number }>('POST', '/projects', { name: 'copy' })
  const commits = () =>
    instance.api<{ title: string }[]>('GET', `/projects/${copy.id}/repository/commits?ref_name=main`)

  await app.enter('/root/heron/-/settings/mirrors')
  await expect(view.getByRole('heading', { name: 'No mirrors' })).toBeVisible()
  await view.keyboard.press('n')
  await expect(app.heading('New mirror')).toBeVisible()
  await expect(view.getByLabel('Repository URL')).toBeFocused()
  await view.getByLabel('Repository URL').fill('ftp://example.test/x.git')
  await view.getByRole('button', { name: /^Add mirror/ }).click()
  await expect(view.getByText('is blocked: Only allowed schemes are http, https, ssh, git')).toBeVisible()

  // With a wrong password, the page shows the failure without a reload and without the password.
  await view.getByLabel('Repository URL').fill(`${instance.url}/root/copy.git`)
  await view.getByLabel('Username').fill(owner.username)
  await view.getByLabel('Password or token').fill('n0t-the-p@ssword')
  await view.getByRole('button', { name: /^Add mirror/ }).click()
  await expect(app.heading('Mirror')).toBeVisible()
  const state = view.getByRole('region', { name: 'Mirror status' })
  await expect(state).toContainText('Retrying')
  await expect(state.getByRole('status')).toContainText('refuses')
  await expect(app.main).not.toContainText('n0t-the')

  await view.getByLabel('Authentication').selectOption({ label: 'Other username and password' })
  await view.getByLabel('Username').fill(owner.username)
  await view.getByLabel('Password or token').fill(owner.token)
  await view.getByRole('button', { name: /^Save/ }).click()
  await expect(state).toContainText('Not updated yet')
  await view.getByRole('button', { name: /^Update now/ }).click()
  await expect(state).toContainText('Up to date')
  expect((await commits()).map((commit) => commit.title)).toEqual(['Initial commit'])

  await app.crumbs().getByRole('link', { name: 'Mirrors' }).click()
  const row = view.getByRole('list', { name: 'mirrors' }).getByRole('listitem')
  await expect(row).toContainText('push, all branches')
  await row.hover()
  await row.getByRole('button', { name: 'Remove' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(view.getByRole('heading', { name: 'No mirrors' })).toBeVisible()
})
