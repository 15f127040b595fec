import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('a commit is found in the list and read in both layouts', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { rewrite } = await makeTern(instance)
  await app.enter('/root/tern')
  await view.getByRole('link', { name: 'Commits', exact: true }).click()
  await expect(app.heading('Commits')).toBeVisible()
  const titles = app.main.locator('.row-link')
  await expect(titles).toHaveText([
    'Say when a boat can cross',
    'Sum the constituents without a loop',
    'Add heights from constituents',
    'Begin with the format of a gauge',
  ])
  await view.keyboard.press('j')
  await expect(titles.nth(0)).toBeFocused()
  await view.keyboard.press('j')
  await view.keyboard.press('Enter')

  await expect(view).toHaveURL(`${instance.url}/root/tern/-/commit/${rewrite}`)
  await expect(app.heading('Sum the constituents without a loop')).toBeVisible()
  await expect(app.main).toContainText('The compiler unrolls it either way')
  const changes = view.getByRole('region', { name: 'Changes' })
  await expect(changes).toContainText('src/tide.rs')
  await expect(changes.locator('.dl.del').first()).toContainText('let mut sum = 0.0;')
  await expect(changes.locator('.is-split').first()).toBeVisible()

  await view.getByRole('radio', { name: 'Inline' }).click()
  await expect(changes.locator('.is-unified').first()).toBeVisible()
  await expect(changes.locator('.is-split')).toHaveCount(0)
  await expect(changes.locator('.dl.add').first()).toContainText('parts')
  await view.reload()
  await expect(changes.locator('.is-unified').first()).toBeVisible()

  await view.getByRole('link', { name: 'Files', exact: true }).click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/tree/${rewrite}`)
  await expect(app.main.getByRole('link', { name: 'Cargo.toml' })).toBeVisible()
})

test('the history of one file leads back to it', async ({ view, instance }) => {
  const app = new App(view, instance)
  await makeTern(instance)
  await app.enter('/root/tern/-/blob/main/src/tide.rs')
  await view.getByRole('radio', { name: 'History' }).click()
  await expect(app.main.locator('.row-link')).toHaveText([
    'Sum the constituents without a loop',
    'Add heights from constituents',
  ])
  await view.getByRole('radio', { name: 'Code' }).click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/blob/main/src/tide.rs`)

  await app.open('/root/tern/-/commits/main/docs')
  await expect(app.main.locator('.row-link')).toHaveText([
    'Say when a boat can cross',
    'Begin with the format of a gauge',
  ])
  await view.getByRole('radio', { name: 'Files' }).click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/tree/main/docs`)
})

test('a commit is found by a word of its message', async ({ view, instance }) => {
  const app = new App(view, instance)
  await makeTern(instance)
  await app.enter('/root/tern/-/commits/main')
  await expect(app.main.locator('.row-link')).toHaveCount(4)
  await view.keyboard.press('/')
  await view.keyboard.type('constituents')
  await expect(app.main.locator('.row-link')).toHaveText([
    'Sum the constituents without a loop',
    'Add heights from constituents',
  ])
  await expect.poll(() => app.address()).toBe('/root/tern/-/commits/main?search=constituents')
  await view.getByLabel('Search commits').fill('no such words')
  await expect(view.getByRole('heading', { name: 'No commits on main match “no such words”' })).toBeVisible()
})
