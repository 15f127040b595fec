import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'

test('a webhook is added and tested, and a delivery is opened and sent again', async ({ view, instance }) => {
  const requests: { event: string; body: string }[] = []
  const receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      requests.push({ event: String(request.headers['x-gitlab-event']), body })
      response.writeHead(requests.length === 1 ? 200 : 202, { 'content-type': 'text/plain' }).end('thank you')
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  const app = new App(view, instance)
  await instance.api('PUT', '/application/settings', {
    allow_local_requests_from_web_hooks_and_services: true,
  })
  await instance.api('POST', '/projects', { name: 'wader', initialize_with_readme: true })

  await app.enter('/root/wader/-/settings/hooks')
  await expect(view.getByRole('heading', { name: 'No webhooks' })).toBeVisible()
  await view.keyboard.press('n')
  const address = view.getByLabel('URL', { exact: true })
  await address.fill('http://169.254.169.254/')
  await view.getByLabel('Name', { exact: true }).fill('Chat')
  await view.getByLabel('Secret token').fill('hush hush')
  await view.getByRole('checkbox', { name: /^Issues/ }).check()
  await view.getByRole('button', { name: 'Add webhook' }).click()
  await expect(view.getByText('Invalid URL')).toBeVisible()
  await address.fill(`http://127.0.0.1:${port}/in`)
  await view.getByRole('button', { name: 'Add webhook' }).click()
  await expect(app.heading('Chat')).toBeVisible()
  await expect(view.getByText('Events: Pushes, Issues')).toBeVisible()

  // Events without an existing record cannot be tested.
  await view.getByRole('button', { name: 'Test' }).click()
  await view.getByRole('menuitem', { name: /^Issues/ }).click()
  await expect(view.getByText('Ensure the project has issues.')).toBeVisible()
  await view.getByRole('button', { name: 'Test' }).click()
  await view.getByRole('menuitem', { name: /^Pushes/ }).click()
  const rows = view.getByRole('list', { name: 'deliveries' }).getByRole('listitem')
  await expect(rows).toHaveCount(1)
  await expect(rows.first()).toContainText('200')

  // A delivery of a real event appears without a reload.
  await instance.api('POST', '/projects/root%2Fwader/issues', { title: 'Count the eggs' })
  await expect(rows).toHaveCount(2)
  await expect(rows.first()).toContainText('Issues')
  await view.keyboard.press('j')
  await view.keyboard.press('Enter')
  await expect(app.heading('Issues')).toBeVisible()
  await expect(view.getByLabel('The request')).toContainText('"title": "Count the eggs"')
  await expect(view.getByLabel('The response', { exact: true })).toHaveText('thank you')
  await expect(view.getByText('hush hush')).toHaveCount(0)
  await view.getByRole('button', { name: 'Send again' }).click()
  await expect(rows).toHaveCount(3)
  await expect(rows.first()).toContainText('resent')
  expect(requests.map((request) => request.event)).toEqual(['Push Hook', 'Issue Hook', 'Issue Hook'])
  expect(requests[2]?.body).toBe(requests[1]?.body)
  receiver.close()
})
