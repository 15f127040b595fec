import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('a snippet is created, changed, found and deleted', async ({ view, instance }) => {
  const app = new App(view, instance)
  await app.enter('/dashboard/snippets')
  await expect(view.getByRole('heading', { name: 'No snippets yet' })).toBeVisible()
  await view.keyboard.press('n')
  await view.getByLabel('Title').fill('Slack water')
  await view.getByLabel('Name of file 1').fill('slack.sh')
  await view.getByRole('textbox', { name: /^Contents of file 1/ }).click()
  await view.keyboard.type('curl tides.test')
  await view.getByRole('button', { name: 'Create snippet' }).click()
  await expect(app.heading('Slack water')).toBeVisible()
  await expect(view.getByRole('region', { name: 'slack.sh' })).toContainText('curl tides.test')

  await view.keyboard.press('e')
  await expect(app.heading('Edit snippet')).toBeVisible()
  await view.getByRole('button', { name: 'Add file' }).click()
  await view.getByLabel('Name of file 2').fill('spring.sql')
  await view.getByRole('textbox', { name: /^Contents of file 2/ }).click()
  await view.keyboard.type('SELECT 1')
  await view.getByLabel('Name of file 1').fill('neap.sh')
  await view.getByRole('button', { name: 'Save' }).click()
  await expect(view.getByRole('region', { name: 'neap.sh' })).toContainText('curl tides.test')
  await expect(view.getByRole('region', { name: 'spring.sql' })).toContainText('SELECT 1')

  await app.open('/search?scope=snippet_titles')
  await expect(view.getByRole('heading', { name: 'Enter a search term' })).toBeVisible()
  await view.keyboard.press('/')
  await view.keyboard.type('slack')
  await app.main.getByRole('link', { name: 'Slack water' }).click()
  await view.getByRole('button', { name: 'More actions' }).click()
  await view.getByRole('menuitem', { name: 'Delete…' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(view.getByRole('heading', { name: 'No snippets yet' })).toBeVisible()
})

test('code and commits are searched in a project, and its activity is on the first page', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  await app.enter(`/search?project_id=${id}&search=draught`)
  await expect(app.main.getByRole('link', { name: 'src/windows.rs' })).toBeVisible()
  await view.getByRole('radio', { name: 'Commits' }).click()
  await view.getByRole('searchbox').fill('constituents')
  await app.main.getByRole('link', { name: 'Add heights from constituents' }).click()
  await expect(view).toHaveURL(/\/root\/tern\/-\/commit\//)
  await app.open('/')
  const feed = view.getByRole('region', { name: 'Activity' })
  await expect(feed).toContainText('in tern')
  await feed.getByRole('link', { name: 'All activity' }).click()
  await expect(app.heading('Activity')).toBeVisible()
  await view.getByLabel('View', { exact: true }).selectOption('Pushes')
  await expect(view).toHaveURL(/action=pushed/)
  await expect(app.main).not.toContainText('created the project')
})

test('a user follows others, and their profile shows their activity', async ({ view, instance }) => {
  const app = new App(view, instance)
  const person = {
    name: 'Ines Okafor',
    username: 'ines',
    email: 'ines@saltmarsh.test',
    password: 'a lighthouse in the fog',
  }
  await instance.api('POST', '/users', { ...person, skip_confirmation: true })
  await app.enter('/ines')
  await view.getByRole('button', { name: 'Follow' }).click()
  await expect(view.getByRole('button', { name: 'Unfollow' })).toBeVisible()
  await view.getByRole('radio', { name: 'Followers 1' }).click()
  await expect(app.main.getByRole('link', { name: 'Administrator' })).toBeVisible()
  await view.getByRole('radio', { name: 'Activity' }).click()
  await expect(view.getByRole('heading', { name: 'No activity yet' })).toBeVisible()
})

test('a snippet of a project gets comments', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  const files = [{ file_path: 'spring.sql', content: 'SELECT 1' }]
  await instance.api('POST', `/projects/${id}/snippets`, {
    title: 'Spring tides',
    visibility: 'private',
    files,
  })
  await app.enter('/root/tern/-/snippets')
  await app.main.getByRole('link', { name: 'Spring tides' }).click()
  const comments = view.getByRole('region', { name: 'Comments' })
  await comments.getByLabel('Comment on this snippet').fill('Does it count **neaps**?')
  await view.keyboard.press('ControlOrMeta+Enter')
  await expect(comments.locator('strong')).toHaveText('neaps')
  await comments.getByRole('button', { name: /^Delete the comment/ }).click()
  await expect(comments.locator('strong')).toHaveCount(0)
})
