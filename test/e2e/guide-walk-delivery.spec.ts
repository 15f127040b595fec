import { App } from './pages/app.ts'
import { replaceText } from './pages/editor.ts'
import { examples, findClient, login, shellOf } from './support/terminal.ts'
import { expect, test, type Instance } from './support/instance.ts'
import { workTree } from './support/work-tree.ts'
import { walk } from '../support/guide.ts'

/** The project of the walk. Its job `make` writes the build to the log. */
async function makeTern(instance: Instance, files: Readonly<Record<string, string>> = {}) {
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'tern' })
  const tree = await workTree(instance, 'root/tern')
  await tree.commit('Begin', {
    Makefile: 'test package:\n\t@echo "$@ with $(DEPTH)"\n',
    'CHANGES.md': 'It shines **twice** now.\n',
    ...files,
  })
  await tree.push('main')
  return { id, tree }
}

const turnOn = (instance: Instance) =>
  fetch(`${instance.url}/-/built_in_runner`, {
    method: 'PUT',
    headers: { 'private-token': login.password, 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true, concurrency: 2 }),
  })

test('pipelines.md: a configuration, the runner of this computer, a variable', async ({ view, instance }) => {
  test.slow()
  const app = new App(view, instance)
  const page = walk('guide/pipelines', {
    sections: ['Pipelines and runners', 'Run jobs on this computer', 'Keep secrets out of the code'],
  })
  await makeTern(instance)

  // Enables the runner first, so that the pipeline finds it.
  await app.enter('/')
  await app.entry(page.name('Runners')).click()
  await view
    .getByRole('link', { name: new RegExp(page.name('This computer')) })
    .first()
    .click()
  await view.getByRole('button', { name: page.name('Turn on…') }).click()
  await expect(view.getByRole('dialog').or(view.getByRole('alertdialog'))).toContainText('as the user')
  await view.getByRole('button', { name: 'Turn on', exact: true }).click()
  await view.getByLabel(page.name('Concurrent jobs')).selectOption('2 jobs')
  await expect(view.getByText('Waiting for jobs')).toBeVisible()

  // A masked variable.
  await app.open('/root/tern')
  const project = view.getByRole('navigation', { name: 'tern', exact: true })
  await project.getByRole('link', { name: page.name('Settings'), exact: true }).click()
  await view
    .getByRole('navigation', { name: 'Project settings' })
    .getByRole('link', { name: page.name('Variables') })
    .click()
  await view.getByRole('button', { name: 'New variable' }).first().click()
  const dialog = view.getByRole('dialog')
  await dialog.getByLabel('Name').fill('DEPTH')
  await dialog.getByRole('textbox', { name: 'Value' }).fill('eleven-fathoms')
  await dialog.getByLabel(/^Masked/).check()
  await dialog.getByRole('button', { name: /^(Add|Save)/ }).click()
  await expect(dialog).toHaveCount(0)

  // The editor checks the configuration while it is typed.
  await app.open('/root/tern/-/pipelines')
  await view.getByRole('link', { name: 'Create .gitlab-ci.yml' }).click()
  const text = view.getByRole('textbox', { name: /^Contents of \.gitlab-ci\.yml/ })
  await replaceText(text, 'test:\n  stage: nowhere\n  script: make\n')
  await expect(view.getByRole('button', { name: '1 problem' })).toBeVisible()
  await replaceText(text, page.block('make test'))
  await expect(view.getByRole('button', { name: 'Valid' })).toBeVisible()
  await view.getByRole('button', { name: /^Commit/ }).click()
  await expect(view).toHaveURL(/\/-\/blob\/main\/\.gitlab-ci\.yml$/)

  await project.getByRole('link', { name: 'Pipelines' }).click()
  await view.getByRole('link', { name: 'Add .gitlab-ci.yml' }).click()
  await expect(view.getByRole('log')).toContainText('test with [MASKED]')
  await expect(view.getByRole('img', { name: 'passed' }).first()).toBeVisible()
  await app.open('/root/tern/-/pipelines')
  await view.getByRole('link', { name: page.name('Analytics') }).click()
  await expect(view.getByText('Pipelines by status').first()).toBeVisible()
  page.done()
})

test('pipelines.md: gitlab-runner takes the jobs', async ({ view, instance }) => {
  test.slow()
  const program = findClient('gitlab-runner')
  test.skip(!program, 'gitlab-runner is neither on the path nor in DESKFORGE_TEST_CLIENTS')
  const app = new App(view, instance)
  const shell = shellOf(instance.dataDir)
  await makeTern(instance, { '.gitlab-ci.yml': 'test:\n  script:\n    - make test\n' })
  const page = walk('guide/pipelines', {
    sections: ['Use another runner'],
    values: examples(instance, 'root/tern'),
  })
  await app.enter('/')
  await app.entry(page.name('Runners')).click()
  await view
    .getByRole('link', { name: page.name('New runner') })
    .first()
    .click()
  await view.getByRole('button', { name: 'Create runner' }).click()
  const shown = view.getByText(/gitlab-runner register --non-interactive/)
  const [, token = ''] = /--token (\S+)/.exec(await shown.innerText()) ?? []
  const config = `${shell.folder}/config.toml`
  const env = { CONFIG_FILE: config, PATH: `${program?.replace(/[^/]+$/, '')}:${process.env['PATH']}` }
  const [register = '', run] = page.block('gitlab-runner register').trim().split('\n')
  await shell.run(register.replace('glrt-…', token), { env })
  // This command runs until it is stopped, but the test needs only one job.
  expect(run).toBe('gitlab-runner run')
  const once = `gitlab-runner run-single --url ${instance.url} --token ${token} --executor shell --max-builds 1`
  await shell.run(once, { env })
  await app.open('/root/tern/-/pipelines')
  await expect(view.getByRole('img', { name: 'passed' }).first()).toBeVisible()
  page.done()
})

test('releases.md: by hand, and by a job', async ({ view, instance }) => {
  test.slow()
  const app = new App(view, instance)
  const page = walk('guide/releases')
  const { tree } = await makeTern(instance)
  expect((await turnOn(instance)).status).toBe(200)
  await app.enter('/root/tern')
  await view
    .getByRole('navigation', { name: 'tern', exact: true })
    .getByRole('link', { name: page.name('Releases') })
    .click()
  await view
    .getByRole('link', { name: page.name('New release') })
    .first()
    .click()
  await view.getByRole('combobox', { name: 'Tag', exact: true }).fill('v1.0')
  await view.getByLabel('Title').fill('Harbour lights')
  await view.getByRole('textbox', { name: 'Notes' }).fill('It shines.')
  await view.getByRole('button', { name: 'Add link' }).click()
  await view.getByLabel('Name of link 1').fill('Tool')
  await view.getByLabel('URL of link 1').fill('https://files.example.test/tool')
  await view.getByRole('button', { name: 'Publish release' }).click()
  await expect(app.heading('Harbour lights')).toBeVisible()
  const source = app.main.getByRole('link', { name: 'Source code (zip)' })
  expect((await app.fetched(source)).subarray(0, 2).toString()).toBe('PK')
  const evidence = app.main.getByRole('link', { name: /evidence-\d+\.json$/ })
  expect(JSON.parse((await app.fetched(evidence)).toString())).toMatchObject({
    release: { tag_name: 'v1.0' },
  })

  // A tag runs the job of the page, which makes the release.
  await tree.commit('Release by a job', { '.gitlab-ci.yml': page.block('release:') })
  await tree.git('tag', 'v1.1')
  await tree.push('main', 'v1.1')
  await app.open('/root/tern/-/releases')
  await view.getByRole('link', { name: /v1\.1/ }).first().click()
  await expect(app.main.getByText('twice').first()).toHaveCSS('font-weight', /^[67]00$/)
  page.done()
})
