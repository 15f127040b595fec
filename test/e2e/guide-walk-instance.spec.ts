import { join } from 'node:path'

import { App } from './pages/app.ts'
import { SettingsPage } from './pages/settings.ts'
import { shellOf } from './support/terminal.ts'
import { expect, owner, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'
import { root } from '../support/server-process.ts'
import { walk } from '../support/guide.ts'

test('moving.md: imports from five kinds of sources, and an export', async ({ view, instance }) => {
  test.slow()
  const app = new App(view, instance)
  const page = walk('guide/moving')
  const { tree } = await makeTern(instance)
  await instance.api('PUT', '/application/settings', {
    allow_local_requests_from_web_hooks_and_services: true,
  })
  await app.enter('/projects')
  const ways = view.getByRole('navigation', { name: 'Import from' })
  const open = async (name: string) => {
    await app.open('/projects')
    await view
      .getByRole('link', { name: page.name('New project') })
      .first()
      .click()
    await ways.getByRole('link', { name: page.name(name) }).click()
  }

  await open('Folder')
  await view.locator('input[type=file]').setInputFiles(tree.folder)
  await view.getByLabel('Name', { exact: true }).fill('From a folder')
  await view
    .getByRole('button', { name: /Create project|Import/ })
    .last()
    .click()
  await expect(app.heading('From a folder')).toBeVisible()

  await open('URL')
  await view.getByLabel('Repository URL').fill(`${instance.url}/root/tern.git`)
  await view.getByLabel('Username').fill(owner.username)
  await view.getByLabel(/Password/).fill(owner.token)
  await view.getByLabel('Name', { exact: true }).fill('From an address')
  await view.getByRole('button', { name: /Import project/ }).click()
  await expect(app.main.getByText('Say when a boat can cross')).toBeVisible()

  // Exports a project, and imports it again.
  await app.open('/root/tern')
  await view
    .getByRole('navigation', { name: 'tern', exact: true })
    .getByRole('link', { name: page.name('Settings'), exact: true })
    .click()
  const pages = view.getByRole('navigation', { name: 'Project settings' })
  await pages.getByRole('link', { name: page.name('Mirrors') }).click()
  await expect(app.heading('Mirrors')).toBeVisible()
  await pages.getByRole('link', { name: page.name('Export') }).click()
  await view.getByRole('button', { name: 'Export project' }).click()
  const link = view.getByRole('link', { name: 'Download' })
  await expect(link).toBeVisible()
  const file = {
    name: 'root_tern_export.tar.gz',
    mimeType: 'application/gzip',
    buffer: await app.fetched(link),
  }
  await open('Exported file')
  await view.getByLabel('Archive', { exact: true }).setInputFiles(file)
  await view.getByLabel('Name', { exact: true }).fill('From a file')
  await view.getByRole('button', { name: 'Import project' }).click()
  await expect(app.main.getByText('Say when a boat can cross')).toBeVisible()

  for (const name of ['Code host', 'Code server']) {
    await open(name)
    await expect(view.getByLabel(/token/i).first()).toBeVisible()
  }
  await view.getByRole('link', { name: page.name('Your imports') }).click()
  await expect(app.main.getByText('root/from-a-file')).toBeVisible()
  page.done()
})

test('users.md: an account, its links and states, a group and its members', async ({ view, instance }) => {
  test.slow()
  const app = new App(view, instance)
  const page = walk('guide/users')
  await app.enter('/')
  await app.entry(page.name('Settings')).click()
  const settings = view.getByRole('navigation', { name: 'Settings' })
  await expect(settings.getByRole('heading', { name: page.name('Instance') })).toBeVisible()
  await settings.getByRole('link', { name: page.name('Users') }).click()
  await view
    .getByRole('link', { name: page.name('New user') })
    .first()
    .click()
  await view.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
  await view.getByLabel('Username').fill('ada')
  await view.getByLabel('Email').fill('ada@example.test')
  await view.getByLabel('Password', { exact: true }).fill('analytical engine 1843')
  await view.getByRole('button', { name: 'Create user' }).click()
  await expect(app.heading('Ada Lovelace')).toBeVisible()

  const press = (name: string) => view.getByRole('button', { name: page.name(name), exact: true }).click()
  await press('Password link')
  await expect(view.getByText(/\/-\/password_reset\?token=/)).toBeVisible()
  for (const [action, back] of [
    ['Block', 'Unblock'],
    ['Deactivate', 'Activate'],
    ['Ban', 'Unban'],
  ] as const) {
    await press(action)
    await view.getByRole('button', { name: back, exact: true }).click()
    await expect(view.getByRole('button', { name: action, exact: true })).toBeVisible()
  }
  for (const name of page.names('Delete account…', 'Delete user and contributions…')) {
    await view.getByRole('button', { name }).click()
    await expect(view.getByLabel('Type ada to confirm')).toBeVisible()
    await view.keyboard.press('Escape')
  }

  // An account without confirmation has the other link, too.
  const more = {
    name: 'Otto',
    username: 'otto',
    email: 'otto@example.test',
    password: 'analytical engine 1843',
  }
  await instance.api('PUT', '/application/settings', { email_confirmation_setting: 'hard' })
  await instance.api('POST', '/users', more)
  await view.getByRole('link', { name: 'Otto' }).click()
  await press('Confirmation link')
  await expect(view.getByText(/confirmation_token=|\/confirm/)).toBeVisible()

  // Sign-up.
  await settings.getByRole('link', { name: page.name('General') }).click()
  const form = new SettingsPage(view)
  await view
    .getByRole('searchbox')
    .or(view.getByLabel(/Search settings/))
    .first()
    .fill('signup_enabled')
  await expect(form.row('signup_enabled').first()).toBeVisible()

  // A group and a role in it.
  await app.entry(page.name('Groups')).click()
  await view
    .getByRole('link', { name: page.name('New group') })
    .first()
    .click()
  await view.getByLabel('Name', { exact: true }).fill('Harbour')
  await view.getByRole('button', { name: 'Create group' }).click()
  await expect(app.heading('Harbour')).toBeVisible()
  await view.getByRole('link', { name: page.name('Members') }).click()
  await view
    .getByRole('button', { name: /^Add people/ })
    .first()
    .click()
  const dialog = view.getByRole('dialog')
  await dialog.getByLabel('People').fill('ada')
  await view.getByRole('option', { name: /Ada/ }).click()
  for (const role of ['Guest', 'Reporter', 'Developer', 'Maintainer', 'Owner'])
    await dialog.getByLabel('Role').selectOption(page.quote(role))
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(view.getByRole('listitem').filter({ hasText: '@ada' })).toBeVisible()

  await app.entry('Settings').click()
  for (const name of page.names('Overview', 'Audit log', 'Messages', 'Backups', 'Push rules')) {
    await settings.getByRole('link', { name }).click()
    await expect(app.heading(name)).toBeVisible()
  }
  page.done()
})

test('backup.md: by hand and by a schedule, restored in the window and by the command line', async ({
  view,
  instance,
}) => {
  test.slow()
  const app = new App(view, instance)
  const shell = shellOf(instance.dataDir)
  await instance.api('POST', '/projects', { name: 'tern', initialize_with_readme: true })
  const values = {
    'NEW-DIR': join(shell.folder, 'restored'),
    ' DIR': ` ${instance.dataDir}`,
    // A deep run starts the command from the sources, which bundles the server each time.
    ...(process.env['DESKFORGE_TEST_DEEP'] ? {} : { 'npm run deskforge --': 'deskforge' }),
  }
  const page = walk('guide/backup', { values })
  await app.enter('/')
  await app.entry(page.name('Settings')).click()
  await view
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: page.name('Backups') })
    .click()
  await view
    .getByRole('button', { name: page.name('Back up now') })
    .first()
    .click()
  await view.getByRole('dialog').getByLabel('Passphrase').fill('a lighthouse in the fog')
  await view.getByRole('dialog').getByRole('button', { name: 'Back up now' }).click()
  const rows = view.getByRole('list', { name: 'backups' }).getByRole('listitem')
  await expect(rows.getByText('Encrypted')).toBeVisible()
  await expect(rows.getByRole('link', { name: /\.backup$/ })).toBeVisible()
  await view.getByRole('button', { name: 'Not scheduled' }).click()
  await view.getByRole('dialog').getByRole('radio', { name: 'Daily' }).click()
  await view.getByRole('dialog').getByLabel('Keep the newest').fill('3')
  await view.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(view.getByRole('button', { name: /3 kept/ })).toBeVisible()

  // The restore deletes records that are newer than the backup.
  await instance.api('POST', '/projects', { name: 'later' })
  await rows.first().getByRole('button', { name: 'More' }).click()
  await view.getByRole('menuitem', { name: page.name('Restore…') }).click()
  const dialog = view.getByRole('dialog')
  await dialog.getByLabel(/passphrase/i).fill('a lighthouse in the fog')
  await dialog
    .getByLabel(/to confirm/)
    .fill(/Type (\S+) to confirm/.exec(await dialog.innerText())?.[1] ?? '')
  await dialog.getByRole('button', { name: 'Restore and restart' }).click()
  await expect(view.getByText(/^Restored on /)).toBeVisible()
  const projects = await instance.api<{ name: string }[]>('GET', '/projects')
  expect(projects.map(({ name }) => name)).toEqual(['tern'])

  // The same with the command line: a backup of the running instance, restored to a separate folder.
  const [backup = '', restore = '', doctor = ''] = page.block('backup').trim().split('\n')
  const made = /(\/\S+\.backup)/.exec(await shell.run(backup, { cwd: root }))?.[1] ?? ''
  await shell.run(restore.replace('FILE', made), { cwd: root })
  await shell.run(doctor, { cwd: root })
  const twice = await shell.refused(restore.replace('FILE', made), { cwd: root })
  expect(twice).toContain(page.quote('--force'))
  page.done()
})
