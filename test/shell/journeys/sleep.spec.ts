import { expect, owner, test } from '../desktop.ts'
import { ask, opened } from '../press.ts'

const HOUR = 3_600_000

interface Schedule {
  readonly id: number
  readonly next_run_at: string
}

test('after sleep the event stream opens again, and a schedule runs once', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await opened(desktop)
  const { origin } = new URL(page.url())
  await ask(origin, 'POST', '/projects', { name: 'nightly', initialize_with_readme: true })
  const at = '/projects/root%2Fnightly'
  await ask(origin, 'POST', `${at}/repository/files/.gitlab-ci.yml`, {
    branch: 'main',
    content: 'check:\n  script: [date]\n  rules: [{ if: $CI_PIPELINE_SOURCE == "schedule" }]\n',
    commit_message: 'A pipeline for schedules',
  })
  // The schedule is half an hour away, so that it does not become due during the test by chance.
  const minute = (new Date().getMinutes() + 30) % 60
  const hourly = {
    description: 'hourly',
    ref: 'main',
    cron: `${String(minute)} * * * *`,
    cron_timezone: 'UTC',
  }
  const { id, next_run_at } = await ask<Schedule>(origin, 'POST', `${at}/pipeline_schedules`, hourly)
  const pipelines = () => ask<{ source: string }[]>(origin, 'GET', `${at}/pipelines`)
  const schedule = () => ask<Schedule>(origin, 'GET', `${at}/pipeline_schedules/${String(id)}`)
  const streams: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/-/events') streams.push(request.url())
  })
  await page.goto(`${origin}/root/nightly/-/pipelines`)
  await expect(page.getByText('No pipelines yet').first()).toBeVisible()
  await expect.poll(() => streams.length).toBeGreaterThan(0)
  const atFirst = streams.length

  // The clock advances by five hours, but the timers do not, as in sleep.
  await desktop.evaluate(({ powerMonitor }, hours) => {
    powerMonitor.emit('suspend')
    const real = Date.now.bind(Date)
    Date.now = () => real() + hours
    powerMonitor.emit('resume')
  }, 5 * HOUR)
  await expect.poll(() => streams.length).toBeGreaterThan(atFirst)
  await expect.poll(async () => (await pipelines()).length).toBe(1)
  expect(Date.parse((await schedule()).next_run_at)).toBeGreaterThan(Date.parse(next_run_at) + 4 * HOUR)
  await expect(page.getByText('started by a schedule')).toBeVisible()

  // A second wake-up in the same hour finds no missed time.
  const before = streams.length
  await desktop.evaluate(({ powerMonitor }) => void powerMonitor.emit('resume'))
  await expect.poll(() => streams.length).toBeGreaterThan(before)
  expect(await pipelines()).toHaveLength(1)
})
