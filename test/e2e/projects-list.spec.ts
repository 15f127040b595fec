import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'

test('the list of projects keeps its filters in the address', async ({ view, instance }) => {
  const app = new App(view, instance)
  for (const name of ['avocet', 'curlew', 'dunlin'])
    await instance.api('POST', '/projects', { name, visibility: name === 'curlew' ? 'public' : 'private' })
  const avocet = await instance.api<{ id: number }>('GET', '/projects/root%2Favocet')
  await instance.api('POST', `/projects/${avocet.id}/archive`)

  await app.enter('/projects')
  const names = app.main.getByRole('list', { name: 'projects' }).locator('.row-link')
  await expect(names).toHaveText(['dunlin', 'curlew'])
  await view.getByLabel('Order').selectOption('Name')
  await expect(names).toHaveText(['curlew', 'dunlin'])
  await expect.poll(() => app.address()).toBe('/projects?order=name')

  await view.keyboard.press('/')
  await expect(view.getByLabel('Search projects')).toBeFocused()
  await view.keyboard.type('dun')
  await expect(names).toHaveText(['dunlin'])
  await expect.poll(() => app.address()).toBe('/projects?order=name&search=dun')

  await names.click()
  await expect(app.heading('dunlin')).toBeVisible()
  await view.getByRole('button', { name: 'Back', exact: true }).click()
  await expect(view.getByLabel('Search projects')).toHaveValue('dun')
  await expect(names).toHaveText(['dunlin'])
  await view.keyboard.press(']')
  await expect(app.heading('dunlin')).toBeVisible()
  await view.keyboard.press('[')

  await view.getByLabel('Search projects').fill('')
  await view.getByLabel('State').selectOption('Archived')
  await expect(names).toHaveText(['avocet'])
  await view.getByLabel('Visibility').selectOption('Public')
  await expect(view.getByRole('heading', { name: 'No matching projects' })).toBeVisible()
  await view.reload()
  await expect(view.getByRole('heading', { name: 'No matching projects' })).toBeVisible()
  await view.getByRole('button', { name: 'Show all projects' }).click()
  await expect(names).toHaveText(['curlew', 'dunlin'])
  await view.getByRole('radio', { name: 'Starred' }).click()
  await expect(view.getByRole('heading', { name: 'No matching projects' })).toBeVisible()
})
