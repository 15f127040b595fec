import { readFileSync } from 'node:fs'

import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'

test('requests are recorded, opened, sent again and compared', async ({ view, instance }) => {
  const app = new App(view, instance)
  await instance.api('POST', '/projects', { name: 'curlew', initialize_with_readme: true })
  await app.enter('/-/workbench')
  await expect(view.getByRole('heading', { name: 'The inspector is off' })).toBeVisible()
  await view.getByRole('button', { name: 'Switch on' }).click()
  await expect(view.getByRole('switch', { name: 'Record' })).toBeChecked()

  // Requests of a client appear without a reload.
  await instance.api('POST', '/projects/root%2Fcurlew/issues', { title: 'Ringing', colour: 'brown' })
  const rows = view.getByRole('list', { name: 'requests' }).getByRole('listitem')
  const posted = rows.filter({ hasText: 'POST /api/v4/projects/root%2Fcurlew/issues' })
  await expect(posted).toHaveCount(1)
  await expect(posted).toContainText('Parameters ignored')
  await instance.api('GET', '/projects/root%2Fcurlew/issues')
  await view.getByLabel('Search requests').fill('/issues')
  await expect(rows).toHaveCount(2)

  await posted.getByRole('link').click()
  await expect(app.heading(/POST \/api\/v4\/projects\/root%2Fcurlew\/issues/)).toBeVisible()
  await expect(view.getByRole('region', { name: 'About the request' })).toContainText(
    'Address/api/v4/projects/root%2Fcurlew/issues',
  )
  await expect(view.getByText('The endpoint does not know: colour.')).toBeVisible()
  await expect(view.getByRole('table', { name: 'How the time was spent' })).toContainText('Authorize')
  await expect(view.getByText('issue.created', { exact: true })).toBeVisible()
  await expect(view.getByLabel('The body of the request')).toContainText('"title": "Ringing"')
  await expect(view.getByText('e2e-owner-token')).toHaveCount(0)

  // Sends the request again with a change, by keyboard.
  await view.keyboard.press('m')
  await expect(app.message('Now open the other request')).toBeVisible()
  await view.keyboard.press('r')
  const dialog = view.getByRole('dialog', { name: 'Send again' })
  await dialog.getByLabel('Body').fill('{"title": "Ringing again"}')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(view.getByLabel('The body of the request')).toContainText('Ringing again')
  await expect(view.getByText('The endpoint does not know')).toHaveCount(0)
  const issues = await instance.api<{ title: string }[]>('GET', '/projects/root%2Fcurlew/issues')
  expect(issues.map(({ title }) => title)).toEqual(['Ringing again', 'Ringing'])

  await view.getByRole('button', { name: /^Compare with #/ }).click()
  const comparison = view.getByRole('dialog', { name: /^#\d+ and #\d+$/ })
  await expect(comparison.getByRole('row', { name: /Body \$\.title Ringing Ringing again/ })).toBeVisible()
  // Both requests have the same width, so that a long value leaves room for the other one.
  const [left, right] = await Promise.all(
    [/^#\d+$/, /^#\d+$/].map((name, at) =>
      comparison.getByRole('columnheader', { name }).nth(at).boundingBox(),
    ),
  )
  expect(Math.abs(left!.width - right!.width)).toBeLessThan(2)
  await comparison.getByRole('button', { name: 'Close' }).click()

  await view.getByRole('button', { name: 'Copy as' }).click()
  await expect(view.getByRole('menuitem')).toHaveText(['curl', 'python-gitlab', 'gitbeaker', 'Go'])
  await view.keyboard.press('Escape')

  await app.open('/-/workbench/inspector?method=POST')
  await expect(rows.first()).toContainText('POST')
  const coming = view.waitForEvent('download')
  await view.getByRole('link', { name: 'HAR file' }).click()
  const { log } = JSON.parse(readFileSync(await (await coming).path(), 'utf8')) as {
    log: { entries: { request: { method: string } }[] }
  }
  expect(new Set(log.entries.map(({ request }) => request.method))).toEqual(new Set(['POST']))

  await view.getByRole('button', { name: 'Delete all requests' }).click()
  await view.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(view.getByText('POST /api/v4/projects/root%2Fcurlew/issues')).toHaveCount(0)
})
