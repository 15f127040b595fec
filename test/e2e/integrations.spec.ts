import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

/** A chat server for the test, which accepts messages or refuses them. */
async function chat(): Promise<{ url: string; messages: string[]; server: Server; refuse(): void }> {
  const messages: string[] = []
  let status = 200
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => (body += String(part)))
    request.on('end', () => {
      messages.push(new URLSearchParams(body).get('payload') ?? '')
      response.writeHead(status).end(status === 200 ? 'ok' : 'no_team')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T1`
  return { url, messages, server, refuse: () => (status = 403) }
}

test('a chat is connected, tested, gets a message about an issue, and is switched off', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  await instance.api('PUT', '/application/settings', {
    allow_local_requests_from_web_hooks_and_services: true,
  })
  const { url, messages, server, refuse } = await chat()
  try {
    await app.enter('/root/tern/-/settings/integrations')
    await view.getByLabel('Search integrations').fill('slack')
    await expect(view).toHaveURL(/search=slack/)
    await view.getByRole('link', { name: 'Slack notifications', exact: true }).click()

    // Errors are shown at their fields.
    await view.getByRole('button', { name: 'Activate', exact: true }).click()
    await expect(view.getByText("Can't be blank.")).toBeVisible()
    await view.getByLabel('Webhook', { exact: true }).fill(url)
    await view.getByLabel('Channel', { exact: true }).fill('tides')
    await view.getByLabel('Comments', { exact: true }).click()
    await view.keyboard.press('ControlOrMeta+s')
    await expect(app.message('Slack notifications activated')).toBeVisible()
    await expect(view.getByLabel('Webhook', { exact: true })).toHaveValue('')
    await expect(view.getByPlaceholder('Set. Type to replace.')).toBeVisible()

    await view.getByRole('button', { name: 'Test' }).click()
    await expect(view.getByText('The service answered 200.')).toBeVisible()
    expect(JSON.parse(messages[0]!)).toMatchObject({ channel: 'tides' })

    await instance.api('POST', `/projects/${id}/issues`, { title: 'The gauge sticks' })
    const sent = view.getByRole('list', { name: 'recent deliveries' }).getByRole('listitem')
    await expect(sent.filter({ hasText: 'issue' })).toHaveCount(1)
    expect(messages.at(-1)).toContain('The gauge sticks')

    refuse()
    await view.getByRole('button', { name: 'Test' }).click()
    await expect(view.getByText(/answered 403/)).toBeVisible()
    await sent.filter({ hasText: '403' }).getByRole('button').click()
    await expect(view.getByRole('dialog')).toContainText('no_team')
    await view.keyboard.press('Escape')

    await view.getByRole('button', { name: 'Deactivate' }).click()
    await expect(view.getByRole('button', { name: 'Activate', exact: true })).toBeVisible()
    await expect(view.getByLabel('Channel', { exact: true })).toHaveValue('tides')
    expect(await instance.api('GET', `/projects/${id}/integrations`)).toEqual([])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
