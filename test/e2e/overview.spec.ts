import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('the overview describes the project, and links to its pages', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { tree } = await makeTern(instance)
  await app.enter('/root/tern')
  const about = view.getByRole('complementary', { name: 'About' })
  await expect(about.getByRole('region', { name: 'Languages' })).toContainText('Rust')
  // This instance does not listen for SSH, so there is no choice of a protocol.
  await expect(about.locator('.address')).toContainText('root/tern.git')
  await expect(about.getByRole('radio', { name: 'SSH' })).toHaveCount(0)

  await about.getByRole('link', { name: 'Contributors' }).click()
  await expect(app.heading('Contributors')).toBeVisible()
  await expect(app.main.getByRole('list', { name: 'contributors' })).toContainText('4 commits')
  await view.goBack()
  await about.getByRole('link', { name: 'tides' }).click()
  await expect(app.main.getByRole('list', { name: 'projects' }).locator('.row-link')).toHaveText(['tern'])
  await view.getByRole('button', { name: 'Remove topic tides' }).click()
  await expect.poll(() => app.address()).toBe('/projects')

  await app.open('/root/tern/-/activity')
  await expect(app.main).toContainText('created the branch')
  await tree.commit('Mind the springs', { 'docs/springs.md': '# Springs\n' })
  await tree.push('main')
  await app.main.getByRole('link', { name: 'Mind the springs' }).click()
  await expect(app.heading('Mind the springs')).toBeVisible()
})

test('a project is starred and forked, and the fork links to its parent', async ({ view, instance }) => {
  const app = new App(view, instance)
  await makeTern(instance)
  await app.enter('/root/tern')
  await view.getByRole('button', { name: 'Star', exact: true }).click()
  await expect(view.getByRole('link', { name: '1 star', exact: true })).toBeVisible()
  await view.getByRole('link', { name: '1 star', exact: true }).click()
  await expect(app.main.getByRole('list', { name: 'stars' })).toContainText('@root')
  await view.goBack()

  await view.getByRole('button', { name: 'Fork', exact: true }).click()
  const dialog = view.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Tern of mine')
  await dialog.getByRole('button', { name: 'Fork project' }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByLabel('Path').fill('my-tern')
  await dialog.getByRole('button', { name: 'Fork project' }).click()
  await expect(view).toHaveURL(`${instance.url}/root/my-tern`)
  await expect(app.main).toContainText('forked from root/tern')
  await expect(view.getByRole('region', { name: 'README' })).toContainText('Tide tables')
  await app.main.getByRole('link', { name: 'root/tern' }).click()
  await view.getByRole('link', { name: '1 fork', exact: true }).click()
  await expect(app.main.getByRole('list', { name: 'forks' })).toContainText('Tern of mine')
})

test('a banner that arrives while a button is pressed does not move it @ci', async ({ view, instance }) => {
  const app = new App(view, instance)
  await instance.api('POST', '/projects', { name: 'skua', initialize_with_readme: true })
  let answer = () => {}
  const isPressed = new Promise<void>((resolve) => (answer = resolve))
  await view.route(/\/projects\/\d+\/pipelines\?/, async (route) => {
    await isPressed
    await route.continue()
  })
  await app.enter('/root/skua')
  await view.getByRole('button', { name: 'More ways to clone' }).hover()
  await view.mouse.down()
  answer()
  await expect(view.getByRole('status').filter({ hasText: 'Set up CI/CD' })).toBeVisible()
  await view.mouse.up()
  await expect(view.getByRole('menuitem', { name: 'Copy git clone command' })).toBeVisible()
})

test('an archived project is marked and read-only until it is unarchived', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  await instance.api('POST', `/projects/${id}/archive`)
  await app.enter('/root/tern/-/edit/main/Cargo.toml')
  await expect(app.main).toContainText('The project is archived and read-only.')
  await app.open('/root/tern')
  await expect(app.main).toContainText('This project is archived and read-only')
  await expect(view.getByRole('button', { name: 'New', exact: true })).toHaveCount(0)
  await view.getByRole('button', { name: 'Unarchive' }).click()
  await expect(view.getByRole('button', { name: 'New', exact: true })).toBeVisible()
})

test('search opens the kind with results, with counts', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'heron' })
  await instance.api('POST', `/projects/${id}/issues`, { title: 'The lantern is dark' })
  await app.enter('/search?search=lantern')
  await expect(view.getByRole('radio', { name: /Issues/ })).toHaveAttribute('aria-checked', 'true')
  await expect(view.getByRole('radio', { name: /Issues/ })).toContainText('1')
  await expect(app.main).toContainText('The lantern is dark')
})
