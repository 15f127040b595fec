import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { Page } from '@playwright/test'

import { App } from './pages/app.ts'
import { SignInPage } from './pages/sign-in.ts'
import { expect, owner, test, type Instance } from './support/instance.ts'

/** Another application on this machine, which stores the cookies that browsers send to it. */
async function otherApplication(): Promise<{ url: string; cookies: string[]; server: Server }> {
  const cookies: string[] = []
  const server = createServer((request, response) => {
    if (request.headers.cookie) cookies.push(request.headers.cookie)
    response.setHeader('content-type', 'text/html').end('<title>Another application</title>')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, cookies, server }
}

/** Signs in with the form. */
async function signIn(view: Page, instance: Instance): Promise<void> {
  const app = new App(view, instance)
  await app.open('/users/sign_in')
  const page = new SignInPage(view)
  await page.fill(owner.username, owner.password)
  await page.button.click()
  await expect(app.heading('Home')).toBeVisible()
}

test('another application on this machine gets the cookie, but no access with it', async ({
  view,
  instance,
}) => {
  const { id } = await instance.api<{ id: number }>('POST', '/projects', {
    name: 'Kept',
    initialize_with_readme: true,
  })
  const other = await otherApplication()
  try {
    await signIn(view, instance)
    await view.goto(other.url)
    await expect(view).toHaveTitle('Another application')
    const cookie = other.cookies[0] ?? ''
    expect(cookie).toContain('_service_session=')

    // A process of its own may send any headers.
    const headers = {
      cookie,
      origin: instance.url,
      'sec-fetch-site': 'same-origin',
      'x-csrf-token': 'guessed',
    }
    const ask = async (method: string, path: string) => {
      const body = method === 'GET' ? undefined : '{"name":"taken"}'
      const type = { 'content-type': 'application/json' }
      const answer = await fetch(instance.url + path, { method, body, headers: { ...headers, ...type } })
      await answer.body?.cancel()
      return answer.status
    }
    const api = `/api/v4/projects/${id}`
    const requests: [string, string][] = [
      ['GET', '/api/v4/user'],
      ['GET', '/api/v4/personal_access_tokens'],
      ['GET', api],
      ['GET', `${api}/repository/tree`],
      ['GET', `${api}/repository/files/README.md/raw?ref=main`],
      ['GET', `${api}/repository/archive.zip`],
      ['GET', '/root/kept/-/raw/main/README.md'],
      ['GET', '/root/kept/-/archive/main/kept-main.zip'],
      ['GET', '/-/events'],
      ['GET', '/-/profile/sessions'],
      ['GET', '/-/admin/backups'],
      ['POST', '/api/v4/projects'],
      ['PUT', api],
      ['DELETE', api],
      ['DELETE', '/-/session'],
    ]
    for (const [method, path] of requests)
      expect([401, 404], `${method} ${path}`).toContain(await ask(method, path))
    const session = await fetch(`${instance.url}/-/session`, { headers })
    expect(await session.json()).toMatchObject({ user: null, csrf_token: null, file_ticket: null })

    // The page still works, also in another tab and with a typed address.
    const app = new App(view, instance)
    await app.open('/root/kept')
    await expect(app.heading('Kept')).toBeVisible()
    const tab = await view.context().newPage()
    await tab.goto(`${instance.url}/root/kept/-/raw/main/README.md`)
    await expect(tab.locator('body')).toContainText('# Kept')
    await tab.goto(`${instance.url}/root/kept/-/edit/main/README.md`)
    await expect(tab.getByRole('button', { name: /Commit/ }).first()).toBeVisible()
  } finally {
    other.server.close()
  }
})

test('images, downloads and the event stream are available to the page only', async ({ view, instance }) => {
  const picture =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'Kept' })
  const commit = {
    branch: 'main',
    commit_message: 'Paint',
    actions: [
      { action: 'create', file_path: 'dot.png', content: picture, encoding: 'base64' },
      { action: 'create', file_path: 'README.md', content: '![A dot](dot.png)' },
    ],
  }
  await instance.api('POST', `/projects/${id}/repository/commits`, commit)
  await signIn(view, instance)
  const app = new App(view, instance)
  const widthOf = (name: string) =>
    view.getByRole('img', { name }).evaluate((image: HTMLImageElement) => image.naturalWidth)
  await app.open('/root/kept')
  await expect.poll(() => widthOf('A dot')).toBe(1)
  await app.open('/root/kept/-/blob/main/dot.png')
  await expect.poll(() => widthOf('dot.png')).toBe(1)
  const link = app.main.getByRole('link', { name: 'Download', exact: true })
  expect((await app.fetched(link)).toString('base64')).toBe(picture)
  await expect(link).toHaveAttribute('href', '/root/kept/-/raw/main/dot.png')
  await app.open('/projects')
  await instance.api('POST', '/projects', { name: 'Comes by itself' })
  await expect(app.main.getByRole('link', { name: /Comes by itself/ }).first()).toBeVisible()
})
