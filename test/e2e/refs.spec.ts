import { App } from './pages/app.ts'
import { RefsPage } from './pages/refs.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('branches are created, marked, deleted and restored', async ({ view, instance }) => {
  const app = new App(view, instance)
  const refs = new RefsPage(view)
  await makeTern(instance)
  await app.enter('/root/tern/-/branches')
  await expect(refs.row('main')).toContainText('Default')
  await expect(refs.row('main')).toContainText('Protected')
  await expect(refs.row('spring-tides')).toContainText('Merged')
  await expect(refs.row('spring-tides').getByText('0 ahead of main, 2 behind')).toBeAttached()
  await expect(refs.row('fix/slack-water').getByText('1 ahead of main, 0 behind')).toBeAttached()
  await refs.row('main').hover()
  await expect(refs.row('main')).toContainText('The default branch cannot be deleted.')

  await refs.row('spring-tides').hover()
  await refs.row('spring-tides').getByRole('button', { name: 'Protect branch' }).click()
  await expect(refs.row('spring-tides')).toContainText('Protected')
  await refs.row('spring-tides').getByRole('button', { name: 'Unprotect' }).click()
  await expect(refs.row('spring-tides').locator('.badge', { hasText: 'Protected' })).toHaveCount(0)

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
  await expect(app.message('Branch fix/slack-water deleted')).toBeVisible()
  await expect(refs.row('fix/slack-water')).toHaveCount(0)
  await app.message('deleted').getByRole('button', { name: 'Undo' }).click()
  await expect(refs.row('fix/slack-water')).toBeVisible()

  await refs.row('spring-tides').hover()
  await refs.row('spring-tides').getByRole('button', { name: 'New branch from here' }).click()
  await expect(refs.dialog.getByRole('button', { name: 'From: spring-tides' })).toBeVisible()
  await view.keyboard.press('Escape')
  await view.keyboard.press('/')
  await view.keyboard.type('tides')
  await expect(refs.row('neap-tides')).toBeVisible()
  await expect(refs.row('main')).toHaveCount(0)
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/branches?search=tides`)
})

test('selected branches are deleted together, without protected ones, and restored', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const refs = new RefsPage(view)
  await makeTern(instance)
  await app.enter('/root/tern/-/branches')
  for (const name of ['main', 'spring-tides', 'fix/slack-water']) {
    await refs.row(name).hover()
    await refs.row(name).getByRole('checkbox').check()
  }
  await view.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Delete…' }).click()
  await expect(refs.dialog).toContainText('Not deleted: main.')
  await expect(refs.dialog).toContainText('only on fix/slack-water')
  await refs.dialog.getByLabel('Type 2 to confirm').fill('2')
  await refs.dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(refs.row('spring-tides')).toHaveCount(0)
  await expect(refs.row('fix/slack-water')).toHaveCount(0)
  await app.message('2 branches deleted').getByRole('button', { name: 'Undo' }).click()
  await expect(refs.row('spring-tides')).toBeVisible()
  await expect(refs.row('fix/slack-water')).toBeVisible()
})

test('a tag is created with its message, refused twice, and deleted', async ({ view, instance }) => {
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

test('merged branches are deleted together, and a version is downloaded in every format', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const refs = new RefsPage(view)
  await makeTern(instance)
  await app.enter('/root/tern/-/branches')
  await expect(refs.row('spring-tides')).toContainText('Merged')
  await view.getByRole('button', { name: 'More', exact: true }).click()
  await view.getByRole('menuitem', { name: 'Delete merged branches…' }).click()
  await refs.dialog.getByRole('button', { name: 'Delete merged branches' }).click()
  // The closing dialog returns the focus, which would close a menu that was opened meanwhile.
  await expect(refs.dialog).toBeHidden()
  await expect(refs.row('spring-tides')).toHaveCount(0)
  await expect(refs.row('fix/slack-water')).toBeVisible()

  await refs.row('main').hover()
  await refs.row('main').getByRole('button', { name: 'Download' }).click()
  const coming = view.waitForEvent('download')
  await view.getByRole('menuitem', { name: 'Download .tar.gz' }).click()
  expect((await coming).suggestedFilename()).toMatch(/^tern-main-[0-9a-f]{40}\.tar\.gz$/)
})
