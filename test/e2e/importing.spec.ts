import { demoCode } from '../api/importers/github/demo-repository.ts'
import { plainResponses } from '../api/importers/github/demo-responses.ts'
import { stubHost } from '../api/importers/github/stub-host.ts'
import { end } from '../support/at-end.ts'
import { scratch } from '../support/server-process.ts'
import { App } from './pages/app.ts'
import { expect, owner, test } from './support/instance.ts'

const LOCAL = { allow_local_requests_from_web_hooks_and_services: true }

test('repositories of a code host are listed, chosen and imported', async ({ view, instance }) => {
  const app = new App(view, instance)
  await instance.api('PUT', '/application/settings', LOCAL)
  const host = await stubHost()
  try {
    plainResponses(host, demoCode(host))
    await app.enter('/projects/new/host')
    await view.getByLabel('Host URL').fill(host.url)
    await view.getByLabel('Personal access token', { exact: true }).fill('wrong')
    await view.getByRole('button', { name: 'List repositories' }).click()
    await expect(app.main.getByRole('alert').first()).toBeVisible()
    await view.getByLabel('Personal access token', { exact: true }).fill(host.token)
    await view.getByRole('button', { name: 'List repositories' }).click()
    const repositories = view.getByRole('region', { name: 'Repositories' })
    await repositories.getByRole('checkbox', { name: /octo\/demo/ }).check()
    await view.getByLabel('New name of octo/demo').fill('demo-here')
    await view.getByRole('button', { name: 'Import 1 repository' }).click()
    await expect(view).toHaveURL(/\/dashboard\/imports$/)
    const row = view.getByRole('list', { name: 'imports' }).getByRole('listitem')
    await expect(row).toContainText('root/demo-here')
    await expect(row.getByText('Done', { exact: true })).toBeVisible()
    await row.getByRole('link', { name: 'root/demo-here' }).click()
    await expect(view.getByRole('region', { name: 'README' })).toContainText('Demo')
  } finally {
    await end()
  }
})

test('a group is migrated from another instance, with its projects', async ({ view, instance }) => {
  test.slow()
  const app = new App(view, instance)
  const folder = scratch()
  const token = 'root-token-over-there'
  const env = { DESKFORGE_ROOT_PASSWORD: owner.password, DESKFORGE_ROOT_TOKEN: token }
  const there = folder.start({ args: ['--data-dir', folder.path('there'), '--port', '0'], env })
  const url = await there.url
  const ask = async (method: string, path: string, body: object) => {
    const headers = { 'private-token': token, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/v4${path}`, { method, headers, body: JSON.stringify(body) })
    expect(answer.ok).toBe(true)
    return (await answer.json()) as { id: number }
  }
  try {
    await app.enter('/groups/new/import?from=instance')
    await expect(view.getByRole('heading', { name: 'Disabled on this instance' })).toBeVisible()
    const settings = { ...LOCAL, bulk_import_enabled: true }
    await instance.api('PUT', '/application/settings', settings)
    await ask('PUT', '/application/settings', settings)
    const { id } = await ask('POST', '/groups', { name: 'Saltmarsh', path: 'saltmarsh' })
    await ask('POST', `/groups/${id}/labels`, { name: 'tide', color: '#3178a8' })
    await ask('POST', '/projects', { name: 'tern', namespace_id: id, initialize_with_readme: true })

    await app.open('/groups/new/import?from=instance')
    await view.getByLabel('URL of the source instance').fill(url)
    await view.getByLabel('Access token').fill(token)
    await view.getByRole('button', { name: 'List groups' }).click()
    await view.getByRole('checkbox', { name: /^Saltmarsh/ }).check()
    await view.getByLabel('New path of Saltmarsh').fill('marsh')
    await view.getByRole('button', { name: 'Import 1 group' }).click()
    const rows = view.getByRole('list', { name: 'groups and projects' }).getByRole('listitem')
    await expect(rows).toHaveCount(2, { timeout: 120_000 })
    await expect(rows.filter({ hasText: 'Done' })).toHaveCount(2, { timeout: 120_000 })
    await rows.getByRole('link', { name: 'marsh/tern' }).click()
    await expect(view.getByRole('region', { name: 'README' })).toContainText('tern')
    expect(await instance.api<object[]>('GET', '/groups/marsh/labels')).toHaveLength(1)
  } finally {
    await folder.clear()
  }
})
