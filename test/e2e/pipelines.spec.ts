import { App } from './pages/app.ts'
import { replaceText } from './pages/editor.ts'
import { handRunner } from './support/hand-runner.ts'
import { expect, test, type Instance } from './support/instance.ts'

const CONFIG = `
stages: [build, test, release]
compile: { stage: build, script: [make], artifacts: { paths: [out] } }
unit: { stage: test, script: [make test] }
lint: { stage: test, script: [make lint], allow_failure: true }
publish: { stage: release, script: [make release], when: manual, environment: { name: production } }
`

/** A project with a configuration that creates a pipeline for every push. */
async function makeHeron(instance: Instance): Promise<{ id: number }> {
  const project = await instance.api<{ id: number }>('POST', '/projects', { name: 'heron' })
  await instance.api('POST', `/projects/${project.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Take the file length once',
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: CONFIG }],
  })
  return project
}

test('a pipeline is watched from the push to the release', async ({ view, instance }) => {
  const app = new App(view, instance)
  await makeHeron(instance)
  await app.enter('/root/heron/-/pipelines')
  const list = view.getByRole('link', { name: 'Take the file length once' })
  await list.click()
  const job = (name: string) => view.getByRole('list', { name: 'Stages' }).getByRole('link', { name })
  await expect(view.getByText('Waiting for a matching runner.')).toBeVisible()
  await expect(job('compile').getByRole('img', { name: 'pending' })).toBeVisible()

  // The log grows on the screen while the runner writes.
  const runner = await handRunner(instance, 'workbench')
  const compile = await runner.take()
  expect(compile.name).toBe('compile')
  await expect(job('compile').getByRole('img', { name: 'running' })).toBeVisible()
  await compile.write(
    'section_start:100:step_script\r\u001b[0KThe script\n\u001b[32;1m$ make\u001b[0m\n 10%\r 50%',
  )
  const log = view.getByRole('log')
  await expect(log).toContainText('$ make')
  await expect(log).toContainText('50%')
  await expect(log).not.toContainText('10%')
  await compile.write('\r100%\nall <done>\nsection_end:103:step_script\r\u001b[0K')
  await expect(log).toContainText('all <done>')
  await log.getByRole('button', { name: 'The script' }).click()
  await expect(log).not.toContainText('all <done>')
  await view.keyboard.press('/')
  await view.keyboard.type('DONE')
  await expect(view.getByText('1 of 1')).toBeVisible()
  await expect(log).toContainText('all <done>')
  await view.keyboard.press('Escape')
  await compile.finish('success')
  await expect(job('compile').getByRole('img', { name: 'passed' })).toBeVisible()

  // One job fails and is retried, and another one is allowed to fail.
  const [first, other] = [await runner.take(), await runner.take()]
  const [unit, lint] = first.name === 'unit' ? [first, other] : [other, first]
  await unit.write('3 tests failed\n')
  await unit.finish('failed', { failure_reason: 'script_failure', exit_code: 1 })
  await lint.finish('failed', { failure_reason: 'script_failure', exit_code: 1 })
  await expect(job('lint').getByRole('img', { name: 'failed (allowed to fail)' })).toBeVisible()
  await job('unit').click()
  await expect(view.getByText('Script failed.')).toBeVisible()
  await expect(log).toContainText('3 tests failed')
  await expect(job('publish').getByRole('img', { name: 'skipped' })).toBeVisible()
  await view.getByRole('button', { name: 'Retry', exact: true }).click()
  await expect(view.getByText('Waiting for a matching runner.')).toBeVisible()
  await runner.passAll()
  await expect(job('unit').getByRole('img', { name: 'passed' })).toBeVisible()

  // The manual job is started.
  await job('publish').click()
  await view.getByRole('button', { name: 'Start', exact: true }).click()
  await expect(view.getByText('Waiting for a matching runner.')).toBeVisible()
  await runner.passAll()
  await expect(job('publish').getByRole('img', { name: 'passed' })).toBeVisible()
  await expect(view.getByRole('img', { name: 'passed with warnings' }).first()).toBeVisible()
  await view.getByRole('radio', { name: 'Needs' }).click()
  await expect(view.getByRole('group', { name: 'Job dependencies' })).toContainText('publish')
})

test('the configuration is written, validated in the editor, and run @core', async ({ view, instance }) => {
  const app = new App(view, instance)
  const project = await instance.api<{ id: number }>('POST', '/projects', {
    name: 'heron',
    initialize_with_readme: true,
  })
  await app.enter('/root/heron/-/pipelines')
  await view.getByRole('link', { name: 'Create .gitlab-ci.yml' }).click()
  const text = view.getByRole('textbox', { name: /^Contents of \.gitlab-ci\.yml/ })
  await replaceText(text, 'build:\n  stage: nowhere\n  script: make\n')
  await expect(view.getByRole('button', { name: '1 problem' })).toBeVisible()
  await expect(view.locator('.cm-lintRange-error').first()).toBeVisible()
  await replaceText(
    text,
    'build:\n  script: make\ntags only:\n  script: pack\n  rules:\n    - if: $CI_COMMIT_TAG\n',
  )
  await view.getByRole('button', { name: 'Valid' }).click()
  const preview = app.main
  await expect(preview).toContainText('A push to main would run 1 job')
  await expect(preview).toContainText('None of its rules matches.')
  await view.getByRole('radio', { name: 'Merged' }).click()
  await expect(preview).toContainText('tags only')
  await view.getByRole('radio', { name: 'Write' }).click()
  await view.getByRole('button', { name: /^Commit/ }).click()
  await expect(view).toHaveURL(/\/-\/blob\/main\/\.gitlab-ci\.yml$/)
  await app.open('/root/heron/-/pipelines')
  await expect(view.getByRole('link', { name: 'Add .gitlab-ci.yml' })).toBeVisible()

  await view.getByRole('link', { name: /^Run pipeline/ }).click()
  await view.getByRole('button', { name: 'Add variable' }).click()
  await view.getByLabel('Name').fill('DEPTH')
  await view.getByLabel('Value').fill('3')
  await view.getByRole('button', { name: 'Run pipeline' }).click()
  await expect(view).toHaveURL(/\/-\/pipelines\/\d+$/)
  await expect(app.main).toContainText('started manually')
  await view.getByRole('button', { name: 'Cancel' }).first().click()
  await expect(
    view.getByRole('list', { name: 'Stages' }).getByRole('img', { name: 'canceled' }).first(),
  ).toBeVisible()
  const [newest] = await instance.api<{ id: number }[]>('GET', `/projects/${project.id}/pipelines`)
  const variables = await instance.api('GET', `/projects/${project.id}/pipelines/${newest!.id}/variables`)
  expect(variables).toMatchObject([{ key: 'DEPTH', value: '3' }])
})

test('a schedule is created, run by hand and deactivated; a trigger is created', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  await makeHeron(instance)
  await app.enter('/root/heron/-/pipeline_schedules')
  await view.getByRole('button', { name: 'New schedule' }).first().click()
  await view.getByLabel('Description', { exact: true }).fill('Nightly')
  await view.getByLabel('When').selectOption({ label: 'Every Sunday at 4:00' })
  await view.getByRole('button', { name: 'Save' }).click()
  const row = view.locator('.row').filter({ hasText: 'Nightly' })
  await expect(row).toContainText('Every Sunday at 4:00')
  await row.hover()
  await row.getByRole('button', { name: 'Run now' }).click()
  await expect(app.message('Starting the pipeline.')).toBeVisible()
  await row.getByRole('button', { name: 'Nightly' }).click()
  await view.getByLabel('Active', { exact: true }).uncheck()
  await view.getByRole('button', { name: 'Save' }).click()
  await expect(row).toContainText('Off')

  await app.open('/root/heron/-/settings/triggers')
  await view.getByRole('button', { name: 'New trigger' }).first().click()
  await view.getByLabel('Description', { exact: true }).fill('The harbour office')
  await view.getByRole('button', { name: 'Save' }).click()
  await expect(view.getByText('The harbour office')).toBeVisible()
  await expect(view.getByText(/trigger\/pipeline$/)).toContainText('--form token=glptt-')
})

test('a runner is created, waits for its first contact, and is paused', async ({ view, instance }) => {
  const app = new App(view, instance)
  await app.enter('/-/runners')
  await expect(app.heading('Runners')).toBeVisible()
  await view.getByRole('link', { name: 'New runner' }).first().click()
  await view.getByLabel('Description', { exact: true }).fill('workbench')
  await view.getByRole('textbox', { name: 'Tags' }).fill('linux, x64')
  await view.getByRole('button', { name: 'Create runner' }).click()
  const command = view.getByText(/gitlab-runner register --non-interactive/)
  await expect(command).toBeVisible()
  await expect(view.getByText('Waiting for first contact.')).toBeVisible()
  const [, token] = /--token (\S+)/.exec(await command.innerText()) ?? []
  const body = JSON.stringify({ token, system_id: 's_1', info: { name: 'gitlab-runner' } })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${instance.url}/api/v4/jobs/request`, { method: 'POST', body, headers })
  expect(answer.status).toBe(204)
  await expect(view.getByText('Connected. Waiting for jobs.')).toBeVisible()

  await view.getByRole('link', { name: 'Show runner' }).click()
  await expect(app.heading('workbench')).toBeVisible()
  await expect(app.main).toContainText('linux')
  await view.getByRole('button', { name: /^Pause/ }).click()
  await expect(view.getByRole('region', { name: 'Runners' })).toContainText('Paused')
  await view.getByRole('button', { name: 'Edit' }).click()
  await view.getByLabel('Job timeout').fill('5')
  await view.getByRole('button', { name: 'Save' }).click()
  await expect(view.getByText('Needs to be at least 10 minutes.')).toBeVisible()
  await view.getByLabel('Job timeout').fill('20')
  await view.getByRole('button', { name: 'Save' }).click()
  await expect(app.main).toContainText('20:00')
})
