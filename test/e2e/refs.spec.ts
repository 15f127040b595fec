import { App } from './pages/app.ts'
import { RefsPage } from './pages/refs.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('branches are made, marked, deleted and brought back', async ({ view, instance }) => {
  const app = new App(view, instance)
  const refs = new RefsPage(view)
  await makeTern(instance)
  await app.enter('/root/tern/-/branches')
  await expect(refs.row('main')).toContainText('Default')
  await expect(refs.row('main')).toContainText('Protected')
  await expect(refs.row('spring-tides')).toContainText('Merged')
  await refs.row('main').hover()
  await expect(refs.row('main')).toContainText('The default branch stays.')

  await view.keyboard.press('n')
  await refs.dialog.getByLabel('Name').fill('neap-tides')
  await view.keyboard.press('Enter')
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/tree/neap-tides`)
  await view.goBack()
  await expect(refs.row('neap-tides')).toBeVisible()

  await refs.row('fix/slack-water').hover()
  await refs.row('fix/slack-water').getByRole('button', { name: 'Delete branch' }).click()
  const really = refs.dialog.getByRole('button', { name: 'Delete branch' })
  await expect(really).toBeDisabled()
  await refs.dialog.getByLabel('Type fix/slack-water to confirm').fill('fix/slack-water')
  await really.click()
  await expect(app.said('Branch fix/slack-water deleted')).toBeVisible()
  await expect(refs.row('fix/slack-water')).toHaveCount(0)
  await app.said('deleted').getByRole('button', { name: 'Undo' }).click()
  await expect(refs.row('fix/slack-water')).toBeVisible()

  await view.keyboard.press('/')
  await view.keyboard.type('tides')
  await expect(refs.row('neap-tides')).toBeVisible()
  await expect(refs.row('main')).toHaveCount(0)
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/branches?search=tides`)
})

test('a tag is made with its message, refused twice, and deleted', async ({ view, instance }) => {
  const app = new App(view, instance)
  const refs = new RefsPage(view)
  const { id } = await makeTern(instance)
  await app.enter('/root/tern/-/branches')
  await refs.tab('Tags').click()
  await expect(refs.row('v0.1.0')).toContainText('Add heights from constituents')

  await view.getByRole('button', { name: 'New tag' }).click()
  await refs.dialog.getByLabel('Name').fill('v0.1.0')
  await view.keyboard.press('Enter')
  await expect(refs.dialog).toContainText('already exists')
  await refs.dialog.getByLabel('Name').fill('v0.2.0')
  await refs.dialog.getByLabel('Message').fill('Boats can cross')
  await refs.dialog.getByRole('button', { name: 'Create tag' }).click()
  await expect(refs.row('v0.2.0')).toBeVisible()
  const tag = await instance.api('GET', `/projects/${id}/repository/tags/v0.2.0`)
  expect(tag).toMatchObject({ message: 'Boats can cross' })

  await refs.row('v0.2.0').hover()
  await refs.row('v0.2.0').getByRole('button', { name: 'Delete tag' }).click()
  await refs.dialog.getByLabel('Type v0.2.0 to confirm').fill('v0.2.0')
  await refs.dialog.getByRole('button', { name: 'Delete tag' }).click()
  await expect(refs.row('v0.2.0')).toHaveCount(0)
})
