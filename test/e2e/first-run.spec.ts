import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { App } from './pages/app.ts'
import { FirstRunPage } from './pages/first-run.ts'
import { expect, test, type Instance } from './support/instance.ts'

test.use({ instanceOptions: { state: 'new' }, permissions: ['clipboard-read', 'clipboard-write'] })

const askWithToken = (instance: Instance, token: string, path: string) =>
  fetch(`${instance.url}/api/v4${path}`, { headers: { 'private-token': token } })

test('three steps lead from nothing to a working instance @electron @core', async ({
  view,
  instance,
}, info) => {
  const app = new App(view, instance)
  const run = new FirstRunPage(view)
  await app.open('/projects')
  await expect(view).toHaveURL(`${instance.url}/-/first_run`)

  await expect(app.heading('Who you are')).toBeVisible()
  await expect(run.step('Who you are')).toHaveAttribute('aria-current', 'step')
  await run.field('Name').fill('Mara Lindqvist')
  await run.field('Username').fill('mara')
  await run.field('Email').fill('mara@saltmarsh.test')
  await run.field('Password').fill('a harbour at low tide')
  await view.keyboard.press('Enter')

  await expect(app.heading('Data folder')).toBeVisible()
  await expect(view.getByText(instance.dataDir)).toBeVisible()
  await run.goOn.click()

  await expect(app.heading('What to try')).toBeVisible()
  await expect(run.choice('A demo project')).toBeChecked()
  await run.choice('Create a project').check()
  await run.field('Project name').fill('Low tide')
  await view.keyboard.press('Enter')

  await expect(app.heading('Ready')).toBeVisible()
  await expect(run.line('URL').text).toHaveText(instance.url)
  await expect(run.line('clone command').text).toHaveText(`git clone ${instance.url}/mara/low-tide.git`)
  const token = (await run.line('access token').text.textContent()) ?? ''
  const user = await askWithToken(instance, token, '/user')
  expect(await user.json()).toMatchObject({ username: 'mara', is_admin: true })

  for (const what of ['URL', 'access token', 'clone command'] as const) {
    const { text, copy } = run.line(what)
    await copy.click()
    await expect(copy).toHaveText('Copied')
    // Pages of the desktop application cannot read the clipboard.
    if (info.project.name !== 'electron')
      expect(await view.evaluate(() => navigator.clipboard.readText())).toBe(await text.textContent())
  }

  await view.getByRole('button', { name: 'Show command' }).click()
  await expect(view.locator('.cmd').filter({ hasText: 'register' })).toContainText(
    `--url ${instance.url} --executor shell --token glrt-`,
  )

  await run.finish.click()
  await expect(app.heading('Low tide')).toBeVisible()
  await expect(view.getByRole('region', { name: 'README' })).toContainText('Low tide')
  await app.entry('Home').click()
  await expect(app.main.getByRole('link', { name: 'Low tide', exact: true }).first()).toBeVisible()
})

test('errors of the server about the user are shown at their field', async ({ view, instance }) => {
  const app = new App(view, instance)
  const run = new FirstRunPage(view)
  await app.open('/')
  await run.field('Name').fill('Mara')
  await run.field('Username').fill('mara lindqvist')
  await run.field('Email').fill('mara@saltmarsh.test')
  // A password is checked when it is typed, not after the last step.
  await run.field('Password').fill('short')
  await expect(view.getByText('At least 8 characters.')).toBeVisible()
  await expect(run.goOn).toBeDisabled()
  await run.field('Password').fill('a harbour at low tide')
  for (let step = 1; step <= 3; step++) await run.goOn.click()
  await expect(app.heading('Who you are')).toBeVisible()
  await expect(run.field('Username')).toHaveAttribute('aria-invalid', 'true')
  await expect(run.field('Name')).toHaveValue('Mara')
  expect((await fetch(`${instance.url}/-/first_run`)).status).toBe(200)
})

test('the demo has history, issues, a merge request with a thread, pipelines that ran, and a release', async ({
  view,
  instance,
}) => {
  test.setTimeout(90_000)
  const app = new App(view, instance)
  const run = new FirstRunPage(view)
  await app.open('/')
  await run.field('Name').fill('Mara Lindqvist')
  await run.field('Username').fill('mara')
  await run.field('Email').fill('mara@saltmarsh.test')
  await run.field('Password').fill('a harbour at low tide')
  for (let step = 1; step <= 3; step++) await run.goOn.click()
  await expect(view.getByRole('progressbar', { name: 'Creating the demo project' })).toBeVisible()
  await expect(app.heading('Ready')).toBeVisible({ timeout: 150_000 })
  const token = (await run.line('access token').text.textContent()) ?? ''
  const ask = async (path: string) =>
    (await (await askWithToken(instance, token, `/projects/mara%2Ftidewatch${path}`)).json()) as Record<
      string,
      never
    >[]
  const jobs = await ask('/jobs?per_page=100')
  expect(jobs.length).toBeGreaterThanOrEqual(10)
  expect(new Set(jobs.map((job) => job['status']))).toEqual(new Set(['success']))
  expect(await ask('/runners?type=project_type')).toEqual([])
  expect((await ask('/merge_requests?state=all')).map((request) => request['state']).sort()).toEqual([
    'merged',
    'opened',
  ])
  expect((await ask('/releases')).map((release) => release['tag_name'])).toEqual(['v1.0.0'])

  await run.finish.click()
  await expect(app.heading('Tidewatch')).toBeVisible()
  await view.goto(`${instance.url}/mara/tidewatch/-/merge_requests/2`)
  await expect(view.getByText('Not every harbour is in Sweden.')).toBeVisible()
  await expect(view.getByText('What does the harbour office say?')).toBeVisible()
})

test('a local folder becomes a project', async ({ view, instance }, info) => {
  const app = new App(view, instance)
  const run = new FirstRunPage(view)
  const folder = info.outputPath('harbour')
  mkdirSync(folder)
  writeFileSync(join(folder, 'README.md'), '# Harbour\n')
  writeFileSync(join(folder, '.gitignore'), 'secret.txt\n')
  writeFileSync(join(folder, 'secret.txt'), 'hush')
  await app.open('/')
  await run.field('Name').fill('Mara Lindqvist')
  await run.field('Username').fill('mara')
  await run.field('Email').fill('mara@saltmarsh.test')
  await run.field('Password').fill('a harbour at low tide')
  for (let step = 1; step <= 2; step++) await run.goOn.click()
  await run.choice('Import a repository').check()
  await expect(run.goOn).toBeDisabled()
  await view.locator('input[type=file]').setInputFiles(folder)
  await expect(view.getByText('harbour', { exact: true })).toBeVisible()
  await run.goOn.click()
  await run.finish.click()
  await expect(app.heading('harbour')).toBeVisible()
  await expect(view.getByRole('region', { name: 'README' })).toContainText('Harbour')
})
