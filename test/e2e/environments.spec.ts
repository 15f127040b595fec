import { App } from './pages/app.ts'
import { handRunner } from './support/hand-runner.ts'
import { expect, test, type Instance } from './support/instance.ts'

const CONFIG = `
deploy:
  script: [make deploy]
  environment: { name: review/tide, url: "https://tide.example.test", on_stop: take down, auto_stop_in: 3 days }
take down:
  script: [make undeploy]
  when: manual
  environment: { name: review/tide, action: stop }
`

async function push(instance: Instance, project: number, title: string, file: string): Promise<void> {
  await instance.api('POST', `/projects/${project}/repository/commits`, {
    branch: 'main',
    commit_message: title,
    actions: [{ action: 'create', file_path: file, content: CONFIG }],
  })
}

test('an environment is deployed to, rolled back, stopped and deleted', async ({ view, instance }) => {
  const app = new App(view, instance)
  const project = await instance.api<{ id: number }>('POST', '/projects', { name: 'heron' })
  await app.enter('/root/heron/-/environments')
  await expect(view.getByRole('heading', { name: 'No environments yet' })).toBeVisible()

  // The first push creates the environment, in its folder.
  await push(instance, project.id, 'Take the file length once', '.gitlab-ci.yml')
  const folder = view.getByRole('link', { name: 'review/', exact: true })
  await expect(folder).toBeVisible()
  await folder.click()
  await view.getByRole('link', { name: 'tide', exact: true }).click()
  await expect(app.heading('review/tide')).toBeVisible()
  const rows = view.getByRole('list', { name: 'deployments' }).getByRole('listitem')
  await expect(rows.first()).toContainText('waiting for its job')

  const runner = await handRunner(instance, 'workbench')
  const first = await runner.take()
  await expect(view.getByText('Deploying')).toBeVisible()
  await first.finish('success')
  await expect(rows.first()).toContainText('Current')
  await expect(view.getByRole('link', { name: 'Open' })).toHaveAttribute('href', 'https://tide.example.test')
  await expect(view.getByText(/^auto-stops in/)).toBeVisible()

  // The second deployment fails, and the first one is deployed again.
  await push(instance, project.id, 'Read it twice', 'more')
  await expect(rows).toHaveCount(2)
  await (await runner.take()).finish('failed', { failure_reason: 'script_failure' })
  await expect(view.getByText('Latest failed')).toBeVisible()
  await rows.nth(1).hover()
  await rows.nth(1).getByRole('button', { name: 'Re-deploy…' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Re-deploy' }).click()
  await expect(rows).toHaveCount(3)
  await runner.passAll()
  await expect(rows.first()).toContainText('Current')

  // The environment is stopped after its stop job succeeded.
  await view.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(view.getByRole('dialog')).toContainText('The stop job runs.')
  await view.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(view.getByText('Stopping', { exact: true })).toBeVisible()
  await runner.passAll()
  await expect(view.getByText('Stopped', { exact: true })).toBeVisible()
  await view.getByRole('button', { name: 'More' }).last().click()
  await view.getByRole('menuitem', { name: 'Delete…' }).click()
  await view.getByRole('dialog').getByRole('textbox').fill('review/tide')
  await view.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(view.getByRole('heading', { name: 'No environments yet' })).toBeVisible()
})

test('an environment is created by hand, and its URL and tier are changed', async ({ view, instance }) => {
  const app = new App(view, instance)
  await instance.api('POST', '/projects', { name: 'heron' })
  await app.enter('/root/heron/-/environments')
  await expect(view.getByRole('heading', { name: 'No environments yet' })).toBeVisible()
  await view.keyboard.press('n')
  const dialog = view.getByRole('dialog')
  await dialog.getByLabel('Name').fill('a:b')
  await dialog.getByLabel('URL', { exact: true }).fill('https://heron.example.test')
  await view.keyboard.press('Enter')
  await expect(dialog.getByText(/^Can contain only letters/)).toBeVisible()
  await dialog.getByLabel('Name').fill('canary')
  await view.keyboard.press('Enter')
  await expect(app.heading('canary')).toBeVisible()
  await expect(app.main.getByText('Other')).toBeVisible()
  await view.getByRole('button', { name: 'More' }).last().click()
  await view.getByRole('menuitem', { name: 'Edit…' }).click()
  await dialog.getByLabel('Deployment tier').selectOption('Production')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(app.main.getByText('Production')).toBeVisible()
})
