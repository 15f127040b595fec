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
