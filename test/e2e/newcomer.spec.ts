import { App } from './pages/app.ts'
import { FirstRunPage } from './pages/first-run.ts'
import { MergeRequestPage } from './pages/merge-request.ts'
import { filmOf } from './support/film.ts'
import { expect, test } from './support/instance.ts'
import { shellOf } from './support/terminal.ts'

test.use({ instanceOptions: { state: 'new' } })

const CONFIG = `unit:
  script:
    - echo "3 gauges read"
`

test('the first ten minutes: set up, push, review, merge, pipeline, release, settings', async ({
  view,
  instance,
}) => {
  test.slow()
  const app = new App(view, instance)
  const run = new FirstRunPage(view)
  const request = new MergeRequestPage(view)
  const shell = shellOf(instance.dataDir)
  const picture = filmOf('newcomer')
  const film = (step: string) => picture(view, step)

  // Set up, with the runner of this computer.
  await app.open('/')
  await expect(app.heading('Who you are')).toBeVisible()
  await film('who you are')
  await run.field('Name').fill('Mara Lindqvist')
  await run.field('Username').fill('mara')
  await run.field('Email').fill('mara@saltmarsh.test')
  await run.field('Password').fill('short')
  await film('short password')
  await run.field('Password').fill('a harbour at low tide')
  await run.goOn.click()
  await film('data folder')
  await run.goOn.click()
  await run.choice('Create a project').check()
  await run.field('Project name').fill('Low tide')
  await film('what to try')
  await run.goOn.click()
  await expect(app.heading('Ready')).toBeVisible()
  await film('ready')
  await view.getByRole('button', { name: 'Turn on built-in runner…' }).click()
  await expect(view.getByRole('dialog')).toContainText('Jobs run on this computer')
  await film('runner question')
  await view.getByRole('dialog').getByRole('button', { name: 'Turn on', exact: true }).click()
  await expect(view.getByText('The built-in runner is on.')).toBeVisible()
  await film('runner on')
  const clone = await run.line('clone command').text.innerText()
  const password = await run.line('access token').text.innerText()
  await run.finish.click()
  await expect(view.getByRole('region', { name: 'README' })).toContainText('Low tide')
  await film('project')

  // The commands of the page work in a terminal, and a branch is pushed.
  await shell.run(
    `${clone} && cd low-tide && git checkout -q -b gauges && printf '%s' "$CONFIG" > .gitlab-ci.yml &&
      echo "Three gauges." > gauges.md && git add . && git commit -qm "Read three gauges" && git push -q origin gauges`,
    { env: { CONFIG }, login: { username: 'mara', password } },
  )
  const pushed = view.getByRole('status').filter({ hasText: 'You pushed gauges' })
  await expect(pushed).toBeVisible()
  await film('pushed')

  // The merge request, its review and its pipeline.
  await pushed.getByRole('link', { name: 'Create merge request' }).click()
  await expect(view.getByLabel('Title')).toHaveValue('Read three gauges')
  await film('new merge request')
  await view.getByRole('textbox', { name: 'Description' }).fill('The harbour has three gauges.')
  await view.getByRole('button', { name: /^Create merge request/ }).click()
  await expect(app.heading(/Read three gauges/)).toBeVisible()
  await film('merge request')
  await request.tab('Changes').click()
  await expect(request.changes.locator('.dl.add').first()).toBeVisible()
  await film('changes')
  await view.keyboard.press('.')
  await view.keyboard.press('c')
  await request.form.getByRole('textbox', { name: 'Comment on these lines' }).fill('Which ones?')
  await film('comment on a line')
  await request.form.getByRole('button', { name: 'Start a review' }).click()
  await view.keyboard.press('s')
  await expect(request.submit).toContainText('1 draft')
  await film('submit review')
  await request.submit.getByRole('button', { name: 'Submit' }).click()
  await expect(request.thread('Which ones?')).toBeVisible()
  await film('thread')
  await request.tab('Conversation').click()
  await expect(request.box).toContainText('One unresolved thread')
  await film('conversation')
  await request.tab('Pipelines').click()
  await expect(app.main.getByRole('img', { name: 'passed' }).first()).toBeVisible()
  await film('pipelines of the merge request')
  await request.tab('Conversation').click()
  await request
    .thread('Which ones?')
    .getByRole('button', { name: /^Resolve/ })
    .click()
  await expect(request.box).toContainText('Ready to merge')
  await film('ready to merge')
  await request.box.getByRole('button', { name: /^Merge/ }).click()
  await expect(request.end).toContainText('Merged by')
  await film('merged')

  // The pipeline of the merge.
  const project = view.getByRole('navigation', { name: 'Low tide', exact: true })
  await project.getByRole('link', { name: 'Pipelines' }).click()
  await expect(app.heading('Pipelines')).toBeVisible()
  await film('pipelines')
  await view
    .getByRole('list', { name: 'pipelines' })
    .getByRole('link', { name: /^Merge branch/ })
    .click()
  await expect(view.getByRole('log')).toContainText('3 gauges read')
  await film('job log')

  // A release.
  await project.getByRole('link', { name: 'Releases' }).click()
  await expect(view.getByText('No releases').first()).toBeVisible()
  await film('no releases')
  await view.keyboard.press('n')
  await view.getByRole('combobox', { name: 'Tag', exact: true }).fill('v1.0')
  await view.getByLabel('Title').fill('First tables')
  await view.getByRole('textbox', { name: 'Notes' }).fill('Three gauges are read.')
  await film('new release')
  await view.getByRole('button', { name: /^Publish release/ }).click()
  await expect(app.heading('First tables')).toBeVisible()
  await film('release')

  // Settings, and home.
  await app.entry('Settings').click()
  await expect(app.heading('Profile')).toBeVisible()
  await film('profile')
  await view.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'General' }).click()
  await view
    .getByLabel(/Search settings/)
    .first()
    .fill('branch')
  await expect(view.getByLabel('Default branch name')).toBeVisible()
  await film('settings of the instance')
  await app.entry('Home').click()
  await expect(app.heading('Home')).toBeVisible()
  await film('home')
})
