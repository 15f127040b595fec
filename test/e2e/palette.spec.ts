import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('the palette goes to projects and places, and switches the theme @electron', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  await makeTern(instance)
  await instance.api('POST', '/projects', { name: 'sandpiper', initialize_with_readme: true })
  await app.enter('/projects')
  await expect(app.heading('Projects')).toBeVisible()

  await app.jump('sandp')
  await expect(app.palette.getByRole('option', { name: 'root/sandpiper' })).toBeVisible()
  await view.keyboard.press('Enter')
  await expect(app.heading('sandpiper')).toBeVisible()
  await expect(app.palette).toBeHidden()

  // Inside a project its own places come first.
  await app.jump('branch')
  await expect(app.palette.getByRole('option').first()).toHaveText('Branches & tags')
  await view.keyboard.press('Enter')
  await expect(view).toHaveURL(`${instance.url}/root/sandpiper/-/branches`)

  await app.jump('dark theme')
  await view.keyboard.press('Enter')
  await expect(view.locator('html')).toHaveCSS('color-scheme', 'dark')
  await view.reload()
  await expect(view.locator('html')).toHaveCSS('color-scheme', 'dark')

  await app.jump('nothing at all')
  await expect(app.palette).toContainText('Nothing here is called “nothing at all”.')
  await view.keyboard.press('Escape')
  await expect(app.palette).toBeHidden()

  await view.getByRole('button', { name: /Search or jump to/ }).click()
  await view.keyboard.type('tern')
  await app.palette.getByRole('option', { name: 'root/tern' }).click()
  await expect(app.heading('tern')).toBeVisible()
})

test('all keys are listed where one is', async ({ view, instance }) => {
  const app = new App(view, instance)
  await app.enter('/projects')
  await expect(app.heading('Projects')).toBeVisible()
  await view.keyboard.press('?')
  const sheet = view.getByRole('dialog')
  await expect(sheet).toContainText('Search or jump to')
  await expect(sheet).toContainText('New project')
  await view.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  await view.keyboard.press('g')
  await view.keyboard.press('h')
  await expect(view).toHaveURL(`${instance.url}/`)
})
