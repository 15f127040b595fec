import { App } from './pages/app.ts'
import { handRunner } from './support/hand-runner.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('pipelines are drawn by status, rate and duration, and read by keyboard or as a table', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'heron' })
  await app.enter('/root/heron/-/pipelines/charts')
  await expect(view.getByRole('heading', { name: 'No pipelines in this period' })).toBeVisible()

  const runner = await handRunner(instance, 'workbench')
  await instance.api('POST', `/projects/${id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Begin',
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: 'unit: { script: [check] }' }],
  })
  const pipelines = () => instance.api<{ status: string }[]>('GET', `/projects/${id}/pipelines`)
  await expect.poll(async () => (await pipelines())[0]?.status).toBe('pending')
  await (await runner.take()).finish('success')
  await instance.api('POST', `/projects/${id}/pipeline`, { ref: 'main' })
  await expect.poll(async () => (await pipelines())[0]?.status).toBe('pending')
  await (await runner.take()).finish('failed', { failure_reason: 'script_failure' })

  // The event stream updates the charts.
  await app.open('/root/heron/-/pipelines')
  await view.getByRole('link', { name: 'Analytics' }).click()
  await expect(app.heading('CI/CD analytics')).toBeVisible()
  await expect(app.main).toContainText('50%')
  const chart = view.getByRole('application', { name: 'Pipelines by status' })
  await expect(chart.locator('canvas')).toBeVisible()
  await chart.focus()
  await view.keyboard.press('End')
  await expect(view.getByRole('status').filter({ hasText: 'Passed 1, Failed 1' })).toBeAttached()
  await view.keyboard.press('ArrowLeft')
  await expect(view.getByRole('status').filter({ hasText: 'Passed 0, Failed 0' })).toBeAttached()

  const figure = view.getByRole('figure').filter({ hasText: 'Pipelines by status' })
  await figure.getByRole('button', { name: 'Show as table' }).click()
  const cells = figure.getByRole('row').last().getByRole('cell')
  await expect(cells).toHaveText(['1', '1', '0', '0'])
  await expect(figure.getByRole('row')).toHaveCount(31)
  await view.getByRole('radio', { name: '1 year' }).click()
  await expect(view).toHaveURL(/period=365/)
  await expect(figure.getByRole('columnheader', { name: 'Week from' })).toBeVisible()
  await figure.getByRole('button', { name: 'Show as chart' }).click()
  await expect(figure.locator('canvas')).toBeVisible()
})

test('commits are drawn over time and for one person, and events by kind', async ({ view, instance }) => {
  const app = new App(view, instance)
  await makeTern(instance)
  await app.enter('/root/tern/-/graphs/main')
  const chart = view.getByRole('application', { name: /^Commits per/ })
  await expect(chart.locator('canvas')).toBeVisible()
  await view.getByRole('button', { name: 'Mara Lindqvist' }).click()
  await expect(view.getByRole('list', { name: 'Legend' })).toContainText('Mara Lindqvist')
  await chart.focus()
  await view.keyboard.press('End')
  const summary = view.getByRole('status').filter({ hasText: /Mara Lindqvist \d+, All contributors \d+/ })
  await expect(summary).toBeAttached()
  await view.getByRole('button', { name: 'Show everybody' }).click()
  await expect(view.getByRole('list', { name: 'Legend' })).toHaveCount(0)

  for (const path of ['/root/tern/-/activity', '/root?tab=activity']) {
    await app.open(path)
    const events = view.getByRole('figure').filter({ hasText: /\d+ events?/ })
    await expect(events.locator('canvas')).toBeVisible()
    await events.getByRole('button', { name: 'Show as table' }).click()
    await expect(events.getByRole('columnheader', { name: 'Pushes' })).toBeVisible()
  }
})
