import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'

const TITLES = ['Ebb', 'Flow', 'Slack', 'Spring', 'Neap']

test('an issue opens next to the list; keys, reload, Back and the width of the window keep both @ci', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'heron' })
  for (const title of TITLES) await instance.api('POST', `/projects/${id}/issues`, { title })
  await instance.api('PUT', `/projects/${id}/issues/5`, { state_event: 'close' })

  await app.enter('/root/heron/-/issues')
  await view.getByRole('radio', { name: 'All', exact: true }).click()
  await expect(view).toHaveURL(/state=all/)
  const list = view.getByRole('region', { name: 'Issues list' })
  const row = (title: string) => list.getByRole('link', { name: title, exact: true })
  const expectTitle = (title: string) => expect(view.getByRole('heading', { level: 1 })).toContainText(title)

  await row('Slack').click()
  await expectTitle('Slack')
  await expect(view).toHaveURL(/\/issues\/3$/)
  await expect(row('Slack')).toHaveAttribute('aria-current', 'page')
  // The filters are unchanged: the list still has the closed issue.
  await expect(row('Neap')).toBeVisible()

  await view.keyboard.press('j')
  await expectTitle('Flow')
  await expect(row('Flow')).toBeFocused()
  await view.keyboard.press('ArrowUp')
  await view.keyboard.press('k')
  await expectTitle('Spring')
  await expect(view).toHaveURL(/\/issues\/4$/)
  await view.keyboard.press('Enter')
  await expect(row('Spring')).not.toBeFocused()
  await view.keyboard.press('j')
  await expectTitle('Slack')

  await view.reload()
  await expectTitle('Slack')
  await expect(row('Slack')).toHaveAttribute('aria-current', 'page')
  await expect(row('Neap')).toBeVisible()

  await view.goBack()
  await expect(view).toHaveURL(/\/issues\?state=all$/)
  await expectTitle('Issues')
  await view.goForward()
  await expectTitle('Slack')
  await view.keyboard.press('Escape')
  await expect(view).toHaveURL(/\/issues\?state=all$/)
  await expect(row('Slack')).toBeFocused()

  await view.keyboard.press('Enter')
  await expectTitle('Slack')
  await view.getByRole('button', { name: 'Hide the list' }).click()
  await expect(list).toBeHidden()
  await view.keyboard.press('l')
  await expect(list).toBeVisible()

  await view.setViewportSize({ width: 1100, height: 800 })
  await expectTitle('Slack')
  await expect(list).toBeHidden()
  await app.open('/root/heron/-/issues')
  await row('Spring').click()
  await expectTitle('Spring')
  await expect(list).toBeHidden()
})

test('merge requests, pipelines, releases and users open next to their lists', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', {
    name: 'heron',
    initialize_with_readme: true,
  })
  const commit = (branch: string, file_path: string, content: string, start_branch?: string) =>
    instance.api('POST', `/projects/${id}/repository/commits`, {
      branch,
      start_branch,
      commit_message: file_path,
      actions: [{ action: 'create', file_path, content }],
    })
  for (const name of ['one', 'two']) {
    await commit(name, name, name, 'main')
    await instance.api('POST', `/projects/${id}/merge_requests`, {
      source_branch: name,
      target_branch: 'main',
      title: `Part ${name}`,
    })
    await instance.api('POST', `/projects/${id}/releases`, { tag_name: `v-${name}`, ref: 'main', name })
  }
  await commit('main', '.gitlab-ci.yml', 'build: {script: [make]}\ntest: {script: [make test]}')
  await instance.api('POST', `/projects/${id}/pipeline`, { ref: 'main' })
  await instance.api('POST', '/users', {
    username: 'ida',
    name: 'Ida',
    email: 'ida@example.org',
    password: 'correct horse battery 9',
  })

  const main = view.getByRole('heading', { level: 1 })
  await app.enter('/root/heron/-/merge_requests')
  const requests = view.getByRole('region', { name: 'Merge requests list' })
  await requests.getByRole('link', { name: 'Part two' }).click()
  await expect(main).toContainText('Part two')
  await view.keyboard.press('j')
  await expect(main).toContainText('Part one')
  await view
    .getByRole('link', { name: /^Commits/, exact: false })
    .last()
    .click()
  await expect(view).toHaveURL(/merge_requests\/1\/commits$/)
  await expect(requests).toBeVisible()
  // A diff requires the whole width of the window.
  await view.getByRole('link', { name: /^Changes/ }).click()
  await expect(requests).toBeHidden()

  await app.open('/root/heron/-/pipelines')
  const pipelines = view.getByRole('region', { name: 'Pipelines list' })
  const marked = pipelines.locator('.router-link-active')
  await pipelines.locator('.row-link').first().click()
  await expect(marked).toHaveCount(1)
  await view.getByRole('list', { name: 'Stages' }).getByRole('link').last().click()
  await expect(view).toHaveURL(/\/-\/jobs\/\d+$/)
  await expect(marked).toHaveCount(1)

  await app.open('/root/heron/-/releases')
  await view.getByRole('link', { name: 'one', exact: true }).click()
  await expect(main).toHaveText('one')
  await view.keyboard.press('k')
  await expect(main).toHaveText('two')

  await app.open('/admin/users')
  await view.getByRole('link', { name: 'Ida', exact: true }).click()
  await expect(main).toHaveText('Ida')
  await expect(view.getByRole('region', { name: 'Users list' })).toBeVisible()
  await view.getByLabel('Name', { exact: true }).fill('Ida Brandt')
  await view.keyboard.press('ControlOrMeta+s')
  await expect(main).toHaveText('Ida Brandt')
})
