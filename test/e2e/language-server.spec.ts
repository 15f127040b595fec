import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test.use({ locale: 'de-DE' })

test('texts of the server are German in a German window', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  await instance.api('POST', `/projects/${id}/issues`, { title: 'Ebbe', assignee_ids: [1] })
  await app.enter('/root/tern/-/issues/1')
  await expect(app.main).toContainText('Administrator hat @root zugewiesen')
  await app.open('/root/tern/-/branches')
  await expect(view.getByRole('searchbox', { name: 'Branches suchen' })).toBeVisible()
  await app.open('/admin/overview')
  await expect(app.main).toContainText('Datenbank')
  await app.open('/admin/application_settings')
  await expect(view.getByLabel('Name des Standard-Branchs')).toBeVisible()
  await expect(app.main).toContainText('Bestehende Projekte ändern sich nicht.')
})

test('errors of the server are German in a German window', async ({ view, instance }) => {
  const app = new App(view, instance)
  await makeTern(instance)
  await app.open('/users/sign_in')
  await view.getByLabel('Benutzername oder E-Mail').fill('root')
  await view.getByLabel('Passwort', { exact: true }).fill('wrong')
  await view.getByRole('button', { name: 'Anmelden' }).click()
  await expect(view.getByText('Benutzername oder Passwort ist falsch.')).toBeVisible()

  await app.enter('/projects/new')
  await view.getByLabel('Name', { exact: true }).fill('tern')
  await view.getByRole('button', { name: 'Projekt erstellen' }).click()
  await expect(app.main.getByRole('alert').filter({ hasText: 'Ist bereits vergeben.' })).toHaveCount(2)

  await app.open('/root/tern/-/branches')
  await expect(view.getByRole('searchbox', { name: 'Branches suchen' })).toBeVisible()
  await view.keyboard.press('n')
  const dialog = view.getByRole('dialog')
  await dialog.getByLabel('Name').fill('main')
  await view.keyboard.press('Enter')
  await expect(dialog.getByRole('alert')).toHaveText('Der Branch existiert bereits.')

  // The form recognizes this error by its original sentence, and shows its own text at the field.
  await app.open('/root/tern/-/settings/hooks/new')
  await view.getByLabel('URL', { exact: true }).fill('nowhere')
  await view.getByRole('button', { name: 'Webhook hinzufügen' }).click()
  await expect(app.main.getByRole('alert')).toContainText('Ungültige URL.')

  await app.open('/root/tern/-/settings/hooks/99')
  await expect(app.main).toContainText('404: Nicht gefunden')
})

test('the audit log and the check of a pipeline configuration are German in a German window', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  await instance.api('PUT', `/projects/${id}`, { visibility: 'internal' })
  await instance.api('POST', `/projects/${id}/variables`, { key: 'GAUGE', value: 'north-pier' })
  await app.enter('/root/tern/-/settings/audit_events')
  await expect(app.main).toContainText('CI/CD-Variable GAUGE erstellt')
  await view.getByRole('button', { name: 'Sichtbarkeit von privat auf intern geändert' }).click()
  await expect(view.getByRole('dialog').getByRole('definition').filter({ hasText: 'privat' })).toBeVisible()
  await view.keyboard.press('Escape')

  await instance.api('POST', `/projects/${id}/repository/files/.gitlab-ci.yml`, {
    branch: 'main',
    commit_message: 'Run a job',
    content: 'unit:\n  script: make\n  when: sometimes\n',
  })
  await app.open('/root/tern/-/ci/editor')
  await view.getByRole('button', { name: '1 Problem' }).click()
  await expect(app.main).toContainText('„jobs:unit when“ muss einer dieser Werte sein')
})
