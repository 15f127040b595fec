import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

const guest = { username: 'otto', password: 'a lighthouse in the fog' }

test('a user without access gets an explanation, and sees the page after becoming a member @ci', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  await instance.api('PUT', '/application/settings', { require_admin_approval_after_user_signup: false })
  const joined = await view.request.post(`${instance.url}/-/registration`, {
    data: { name: 'Otto Vink', email: 'otto@saltmarsh.test', ...guest },
  })
  expect(joined.status()).toBe(201)

  await app.open('/root/tern')
  await expect(view.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await expect(app.main).toContainText('or you have no access')
  await app.open('/admin/application_settings/general')
  await expect(view.getByRole('heading', { name: 'Administrators only' })).toBeVisible()
  await app.open('/projects')
  await expect(view.getByRole('heading', { name: 'No projects yet' })).toBeVisible()

  const [otto] = await instance.api<{ id: number }[]>('GET', `/users?username=${guest.username}`)
  await instance.api('POST', `/projects/${id}/members`, { user_id: otto?.id, access_level: 10 })
  await app.open('/root/tern')
  await expect(view.getByRole('heading', { name: 'No access to the code' })).toBeVisible()
  await expect(view.getByRole('link', { name: 'Settings', exact: true })).toHaveCount(1)

  await instance.api('PUT', `/projects/${id}/members/${otto?.id}`, { access_level: 20 })
  await app.open('/root/tern/-/branches')
  await expect(app.main).toContainText('Only developers and above can change branches and tags.')
  await expect(view.getByRole('button', { name: 'New branch' })).toBeDisabled()
  await app.open('/root/tern/-/settings/general')
  await expect(view.getByRole('heading', { name: 'Maintainers only' })).toBeVisible()
})

test('a visitor sees public projects, and is asked to sign in for the rest', async ({ view, instance }) => {
  const app = new App(view, instance)
  await makeTern(instance, { visibility: 'public' })
  await instance.api('POST', '/projects', { name: 'secret' })
  await app.open('/root/tern')
  await expect(view.getByRole('region', { name: 'README' })).toContainText('Tide tables')
  await app.open('/root/secret')
  await expect(app.main).toContainText('visible without signing in')
  await app.main.getByRole('link', { name: 'Sign in' }).click()
  await expect(app.heading('Sign in')).toBeVisible()
  expect(app.address()).toBe('/users/sign_in?redirect=%2Froot%2Fsecret')
})
