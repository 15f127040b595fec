import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('the graph shows all branches, and its rows lead to their commits by keyboard', async ({
  view,
  instance,
}) => {
  await makeTern(instance)
  const app = new App(view, instance)
  await app.enter('/root/tern/-/commits/main')
  await view.getByRole('link', { name: 'Graph' }).click()
  await expect(app.heading('Graph')).toBeVisible()
  const list = view.getByRole('list', { name: 'graph of commits' })
  await expect(list.getByRole('link', { name: 'fix/slack-water' })).toBeVisible()
  await expect(list.getByRole('link', { name: 'main', exact: true })).toBeVisible()
  await expect(list.locator('svg.lanes').first()).toBeVisible()

  await view.keyboard.press('j')
  const first = list.locator('.row-link').first()
  await expect(first).toBeFocused()
  const title = await first.innerText()
  await view.keyboard.press('Enter')
  await expect(app.heading(title)).toBeVisible()
})

test('the graph of one branch excludes the others', async ({ view, instance }) => {
  await makeTern(instance)
  const app = new App(view, instance)
  await app.enter('/root/tern/-/network')
  const list = view.getByRole('list', { name: 'graph of commits' })
  await expect(list.getByRole('link', { name: 'fix/slack-water' })).toBeVisible()
  await view.getByRole('radio', { name: 'One branch or tag' }).click()
  await expect(view).toHaveURL(/network\/main$/)
  await expect(list.getByRole('link', { name: 'fix/slack-water' })).toHaveCount(0)
  await expect(list.getByRole('link', { name: 'main', exact: true })).toBeVisible()
})
