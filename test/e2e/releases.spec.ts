import { App } from './pages/app.ts'
import { expect, owner, test } from './support/instance.ts'

test('a release is created with the keyboard, changed and deleted @ci', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', {
    name: 'tern',
    initialize_with_readme: true,
  })
  await instance.api('POST', `/projects/${id}/milestones`, { title: 'Harbour' })
  await app.enter('/root/tern/-/releases')
  await expect(view.getByRole('heading', { name: 'No releases yet' })).toBeVisible()

  // Creates a new tag, with notes, a milestone and a file, by keyboard only.
  await view.keyboard.press('n')
  await expect(view.getByRole('combobox', { name: 'Tag', exact: true })).toBeFocused()
  await view.keyboard.type('rel/1.0')
  await expect(view.getByText('New tag, created with the release')).toBeVisible()
  await view.getByLabel('Title').focus()
  await view.keyboard.type('Harbour lights')
  await view.getByRole('textbox', { name: 'Notes' }).focus()
  await view.keyboard.type('It shines **twice** now.')
  await view.keyboard.press('Tab')
  await view.keyboard.press('Enter')
  const harbour = view.getByRole('option', { name: 'Harbour' })
  await harbour.waitFor()
  await view.keyboard.press('ArrowDown')
  await expect(harbour).toHaveAttribute('data-highlighted')
  await view.keyboard.press('Enter')
  await expect(harbour).toHaveAttribute('aria-selected', 'true')
  await view.keyboard.press('Escape')
  await expect(view.getByRole('button', { name: 'Milestones: Harbour' })).toBeFocused()
  await view.keyboard.press('Tab')
  await view.keyboard.press('Enter')
  await expect(view.getByLabel('Name of link 1')).toBeFocused()
  await view.keyboard.type('Tool')
  await view.keyboard.press('Tab')
  await view.keyboard.type('https://files.example.test/tool')
  await view.keyboard.press('Control+s')
  await expect(app.heading('Harbour lights')).toBeVisible()
  await expect(view).toHaveURL(/\/root\/tern\/-\/releases\/rel%2F1\.0$/)
  await expect(app.main.getByText('twice')).toHaveCSS('font-weight', /^[67]00$/)
  await expect(app.main.getByRole('link', { name: 'Harbour', exact: true })).toBeVisible()
  await expect(app.main.getByRole('link', { name: 'Tool' })).toHaveAttribute(
    'href',
    'https://files.example.test/tool',
  )
  // The evidence appears after it was collected, without a reload.
  await expect(app.main.getByRole('link', { name: /evidence-\d+\.json$/ })).toBeVisible()
  const source = app.main.getByRole('link', { name: 'Source code (zip)' })
  expect((await app.fetched(source)).subarray(0, 2).toString()).toBe('PK')

  // Changes the date and the file.
  await view.keyboard.press('e')
  await expect(app.heading('Edit Harbour lights')).toBeVisible()
  await view.getByRole('textbox', { name: 'Release date' }).fill('2099-01-01T12:00')
  await view.getByLabel('Path of link 1').fill('/bin/tool')
  await view.keyboard.press('Control+s')
  // Checks the list and the page of the release.
  await expect(view.getByText('Upcoming')).toHaveCount(2)
  const download = `${instance.url}/root/tern/-/releases/rel%2F1.0/downloads/bin/tool`
  const led = await view.request.get(download, { maxRedirects: 0, headers: { 'private-token': owner.token } })
  expect([led.status(), led.headers()['location']]).toEqual([302, 'https://files.example.test/tool'])

  // A release of another user appears in the list. Deleting this one keeps its tag.
  await app.open('/root/tern/-/releases')
  await instance.api('POST', `/projects/${id}/releases`, { tag_name: 'v0', ref: 'main' })
  const rows = view.getByRole('list', { name: 'releases' }).getByRole('listitem')
  await expect(rows).toHaveCount(2)
  await view.keyboard.press('j')
  await view.keyboard.press('Enter')
  await expect(app.heading('Harbour lights')).toBeVisible()
  await view.getByRole('button', { name: 'More actions' }).click()
  await view.getByRole('menuitem', { name: 'Delete…' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Delete release' }).click()
  await expect(rows).toHaveCount(1)
  await app.open('/root/tern/-/tags')
  await expect(view.getByRole('link', { name: 'rel/1.0' })).toBeVisible()
  await view.getByRole('link', { name: 'Release', exact: true }).click()
  await expect(app.heading('v0')).toBeVisible()
})
