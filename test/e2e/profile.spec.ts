import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { App } from './pages/app.ts'
import { expect, owner, test } from './support/instance.ts'

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8rsEZQEfrWbSdEs5JQnCcXKYcFFkqYkuiiGSiUJAwI root@heron'

test('a user edits the profile, the status, the password and keys', async ({ view, instance }) => {
  const app = new App(view, instance)
  await app.enter('/-/profile')
  await view.getByLabel('Name', { exact: true }).fill('Rosa Heron')
  await view.getByLabel('Job title').fill('Harbour master')
  await view.keyboard.press('ControlOrMeta+s')
  await expect(app.message('Saved')).toBeVisible()
  await view.getByLabel('Status message').fill('Reading gauges')
  await view.getByRole('button', { name: 'Set', exact: true }).click()
  await expect(view.getByRole('button', { name: 'Clear' })).toBeVisible()
  expect(await instance.api('GET', '/user')).toMatchObject({
    name: 'Rosa Heron',
    job_title: 'Harbour master',
  })
  expect(await instance.api('GET', '/user/status')).toMatchObject({ message: 'Reading gauges' })

  await view.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'SSH keys' }).click()
  await expect(view.getByText('No SSH keys')).toBeVisible()
  await view.keyboard.press('n')
  await view.getByLabel('Public key').fill('not a key')
  await view.getByLabel('Title').fill('x')
  await view.getByRole('button', { name: 'Add key' }).click()
  await expect(view.getByRole('dialog').getByText(/invalid/)).toBeVisible()
  await view.getByLabel('Title').fill('')
  await view.getByLabel('Public key').fill(KEY)
  await expect(view.getByLabel('Title')).toHaveValue('root@heron')
  await view.getByRole('button', { name: 'Add key' }).click()
  await expect(view.getByText('root@heron')).toBeVisible()
  expect(await instance.api<object[]>('GET', '/user/keys')).toHaveLength(1)

  await view.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Password' }).click()
  await view.getByLabel('Current password').fill('wrong')
  await view.getByLabel('New password').fill('another long pass phrase')
  await view.getByRole('button', { name: 'Change password' }).click()
  await expect(view.getByRole('alert').or(view.locator('.field-error')).first()).toBeVisible()
  await view.getByLabel('Current password').fill(owner.password)
  await view.getByRole('button', { name: 'Change password' }).click()
  await expect(app.message('Password changed')).toBeVisible()
})

test('an application is registered, authorized by its user, and revoked', async ({ view, instance }) => {
  const app = new App(view, instance)
  // The application waits here for its code.
  const arrived: string[] = []
  const client = createServer((request, response) => {
    arrived.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'text/plain' }).end('Back at the application')
  })
  await new Promise<void>((listening) => client.listen(0, '127.0.0.1', listening))
  const callback = `http://127.0.0.1:${(client.address() as AddressInfo).port}/done`

  await app.enter('/-/profile/applications')
  await view.getByRole('button', { name: 'New application' }).first().click()
  await view.getByLabel('Name', { exact: true }).fill('Tide table')
  await view.getByLabel('Redirect URIs').fill(callback)
  await view.getByRole('checkbox', { name: /^read_user/ }).check()
  await view.getByRole('button', { name: 'Create application' }).click()
  await expect(view.getByText('“Tide table” is ready')).toBeVisible()
  const [id, secret] = await view.locator('.made code').allInnerTexts()

  const query = new URLSearchParams({
    client_id: id!.trim(),
    redirect_uri: callback,
    response_type: 'code',
    scope: 'read_user',
    state: 'a state',
  })
  await app.open(`/oauth/authorize?${query}`)
  await expect(app.heading('Authorize Tide table?')).toBeVisible()
  await view.getByRole('button', { name: 'Authorize', exact: true }).click()
  await expect(view.getByText('Back at the application')).toBeVisible()
  expect(arrived[0]).toMatch(/^\/done\?code=[^&]+&state=a\+state$/)

  const token = await fetch(`${instance.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: new URL(arrived[0]!, callback).searchParams.get('code')!,
      redirect_uri: callback,
      client_id: id!.trim(),
      client_secret: secret!.trim(),
    }),
  })
  const { access_token } = (await token.json()) as { access_token: string }
  const whoAmI = () =>
    fetch(`${instance.url}/api/v4/user`, { headers: { authorization: `Bearer ${access_token}` } })
  expect(await (await whoAmI()).json()).toMatchObject({ username: 'root' })

  await app.open('/-/profile/authorized_applications')
  await expect(view.getByText('Tide table')).toBeVisible()
  await view.getByRole('button', { name: 'Revoke' }).click()
  await expect(view.getByText('No authorized applications')).toBeVisible()
  expect((await whoAmI()).status).toBe(401)
  client.close()
})
