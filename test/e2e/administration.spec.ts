import { join } from 'node:path'

import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('a change is found in the audit log, with its details, and exported', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  await instance.api('PUT', `/projects/${id}`, { visibility: 'internal' })
  await instance.api('POST', `/projects/${id}/variables`, { key: 'GAUGE', value: 'north-pier' })
  await app.enter('/admin/audit_log')
  const rows = view.getByRole('list', { name: 'audit events' }).getByRole('listitem')
  await expect(rows.filter({ hasText: 'Created CI/CD variable GAUGE' })).toContainText('root/tern')

  await view.getByRole('button', { name: 'Changed visibility from private to internal' }).click()
  const dialog = view.getByRole('dialog')
  await expect(dialog).toContainText('project_visibility_updated')
  await dialog.getByRole('button', { name: 'Only this event' }).click()
  await expect(view).toHaveURL(/event_name=project_visibility_updated/)
  await expect(rows).toHaveCount(1)
  const coming = view.waitForEvent('download')
  await view.getByRole('button', { name: 'CSV' }).click()
  expect((await coming).suggestedFilename()).toMatch(/^audit-events-\d{4}-\d\d-\d\d\.csv$/)
})

test('a push rule is tried on a text, and saved', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  await app.enter('/root/tern/-/settings/push_rules')
  await expect(view.getByText('No push rule yet.')).toBeVisible()
  const pattern = view.getByLabel('Commit messages must match')
  await pattern.fill('(')
  await expect(view.getByText(/missing closing/i)).toBeVisible()
  await pattern.fill('^TERN-\\d+: ')
  await view.getByLabel('Pattern', { exact: true }).selectOption('Commit messages must match')
  await view.getByLabel('Text', { exact: true }).fill('Read another gauge')
  await expect(view.getByRole('status').filter({ hasText: 'Rejected' })).toBeVisible()
  await view.getByLabel('Text', { exact: true }).fill('TERN-7: Read another gauge')
  await expect(view.getByRole('status').filter({ hasText: 'Accepted' })).toBeVisible()
  await view.getByLabel('Text', { exact: true }).press('ControlOrMeta+s')
  await expect(view.locator('.savebar')).toBeHidden()
  expect(await instance.api('GET', `/projects/${id}/push_rule`)).toMatchObject({
    commit_message_regex: '^TERN-\\d+: ',
  })
})

test('an email that is not sent has a reason', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  await instance.api('PUT', `/projects/${id}/integrations/emails-on-push`, {
    recipients: 'mara@saltmarsh.test',
  })
  await app.enter('/admin/mails')
  await expect(view.getByRole('heading', { name: 'No emails' })).toBeVisible()
  await instance.api('POST', `/projects/${id}/repository/files/notes.txt`, {
    branch: 'main',
    commit_message: 'Note the tide',
    content: 'high at noon\n',
  })
  const row = view.getByRole('list', { name: 'emails' }).getByRole('listitem')
  await expect(row).toContainText('to mara@saltmarsh.test')
  await expect(row).toContainText('Not sent')
  await expect(row).toContainText('Note the tide')
  await view.getByRole('link', { name: 'Mail server' }).click()
  await expect(view).toHaveURL(/application_settings\?search=smtp/)
})

test('a storage is added, a repository moves to it, and back', async ({ view, instance }) => {
  const app = new App(view, instance)
  await makeTern(instance)
  await app.enter('/admin/storages')
  const storages = view.getByRole('list', { name: 'storages' }).getByRole('listitem')
  await expect(storages).toHaveCount(1)
  await view.keyboard.press('n')
  const dialog = view.getByRole('dialog')
  await dialog.getByLabel('Name').fill('fast')
  await dialog.getByLabel('Folder').fill('not/absolute')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(dialog.getByText('Must be an absolute path.')).toBeVisible()
  await dialog.getByLabel('Folder').fill(join(instance.dataDir, '..', 'fast'))
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(storages.filter({ hasText: 'fast' })).toContainText('empty')

  const move = async (from: string, to: string) => {
    await view.getByRole('button', { name: 'Move repositories…' }).click()
    await dialog.getByLabel('From').selectOption(from)
    await dialog.getByLabel('To', { exact: true }).selectOption(to)
    await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  }
  const moves = view.getByRole('list', { name: 'moves' }).getByRole('listitem')
  await move('default', 'fast')
  await expect(moves.first()).toContainText('default → fast')
  await expect(moves.first()).toContainText('Moved')
  await expect(storages.filter({ hasText: 'fast' })).toContainText('1 project')
  await moves.first().getByRole('link').click()
  await expect(app.main.getByText('Say when a boat can cross')).toBeVisible()

  await app.open('/admin/storages')
  await move('fast', 'default')
  await expect(moves.filter({ hasText: 'fast → default' })).toContainText('Moved')
  await view.getByRole('button', { name: 'More actions for fast' }).click()
  await view.getByRole('menuitem', { name: 'Remove…' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(storages).toHaveCount(1)
})

test('an identity provider brings a user, and its identity is deleted', async ({ view, instance }) => {
  const app = new App(view, instance)
  await instance.api('POST', '/groups', { name: 'Saltmarsh', path: 'saltmarsh' })
  await app.enter('/groups/saltmarsh/-/settings/scim')
  await expect(view.getByRole('heading', { name: 'Not set up' })).toBeVisible()
  await view.getByRole('button', { name: 'Create token' }).click()
  const token = await view.locator('.made code').first().innerText()
  const endpoint = await app.main.getByText(/\/api\/scim\/v2\/groups\//).innerText()
  await expect(view.getByRole('heading', { name: 'No users yet' })).toBeVisible()
  const ask = (method: string, path: string, body?: object) =>
    fetch(endpoint.trim() + path, {
      method,
      headers: { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/scim+json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const brought = await ask('POST', '/Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    externalId: 'uid-mara',
    userName: 'mara',
    name: { givenName: 'Mara', familyName: 'Lindqvist' },
    emails: [{ primary: true, value: 'mara@saltmarsh.test', type: 'work' }],
    active: true,
  })
  expect(brought.status).toBe(201)
  const row = view.getByRole('list', { name: 'identities' }).getByRole('listitem')
  await expect(row).toContainText('Mara Lindqvist')
  await expect(row).toContainText('Active')

  await row.getByRole('button', { name: 'Delete identity…' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Delete identity' }).click()
  await expect(view.getByRole('heading', { name: 'No users yet' })).toBeVisible()
  await view.getByRole('button', { name: 'Revoke…' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(view.getByRole('heading', { name: 'Not set up' })).toBeVisible()
  expect((await ask('GET', '/Users')).status).not.toBe(200)
})

test('a secure file is uploaded, opened, downloaded and deleted', async ({ view, instance }) => {
  const app = new App(view, instance)
  await makeTern(instance)
  await app.enter('/root/tern/-/settings/secure_files')
  await expect(view.getByRole('heading', { name: 'No secure files' })).toBeVisible()
  const file = {
    name: 'release.keystore',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from('secret'),
  }
  await view.getByTestId('secure-files').setInputFiles(file)
  await expect(app.message('1 file uploaded')).toBeVisible()
  const row = view.getByRole('list', { name: 'secure files' }).getByRole('listitem')
  await row.getByRole('button', { name: 'release.keystore' }).click()
  await expect(view.getByRole('dialog')).toContainText(/SHA-256\s*[0-9a-f]{64}/)
  await view.keyboard.press('Escape')
  const content = await app.fetched(row.getByRole('link', { name: 'Download release.keystore' }))
  expect(content.toString()).toBe('secret')

  // A second file with this name is refused, and the message contains the name.
  await view.getByTestId('secure-files').setInputFiles(file)
  await expect(app.message(/release\.keystore.*taken/)).toBeVisible()
  await row.getByRole('button', { name: 'Remove…' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(view.getByRole('heading', { name: 'No secure files' })).toBeVisible()
})
