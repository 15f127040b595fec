import { expect, it } from 'vitest'

import { crons } from '../../../server/domains/ci/environments/service.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'

const DAY = 86_400_000
const clock = frozenClock('2026-01-01T08:00:00.000Z')
const here = await world({ clock })
const [developer, reporter, guest] = [here.make.user(), here.make.user(), here.make.user()]
const project = await here.make.project()
await here.make.member('projects', project.id, developer, 30)
await here.make.member('projects', project.id, reporter, 20)
await here.make.member('projects', project.id, guest, 10)
const at = `/projects/${project.id}/environments`
const apps = `${at}/review_apps`
const as = here.as(developer)
const NONE = {
  scheduled_entries: [],
  unprocessable_entries: [],
  message:
    'No environments found for scheduled deletion. Either your query did not match any environments (default parameters ' +
    'match environments that are 30 days or older), or you have insufficient permissions to delete matching environments.',
}

async function make(name: string, { isStopped = true } = {}) {
  const { body } = await as.post(at, { name, external_url: `https://${name.length}.example.test` })
  if (isStopped) await as.post(`${at}/${body.id}/stop`)
  return { id: body.id, name, slug: body.slug, external_url: body.external_url }
}

const names = async () =>
  ((await as.get(at)).body as { name: string }[]).map((environment) => environment.name)
const deleteDue = () => crons.find((cron) => cron.name === 'ci.delete_environments')!.run(here.ctx())

it('stopped review apps are deleted a week after the request', async () => {
  const oldest = await make('review/oldest')
  clock.advance(DAY)
  const old = await make('review/old')
  await make('review/open', { isStopped: false })
  await make('previews/old')
  await make('review')
  expect(await as.delete(apps)).toMatchObject({ status: 400, body: NONE })

  clock.advance(29 * DAY + 1)
  const found = await as.delete(apps)
  expect([found.status, found.body]).toEqual([
    200,
    { scheduled_entries: [oldest], unprocessable_entries: [] },
  ])
  clock.advance(DAY)
  const both = { scheduled_entries: [oldest, old], unprocessable_entries: [] }
  expect((await as.delete(apps)).body).toEqual(both)
  expect((await as.delete(`${apps}?limit=1`)).body.scheduled_entries).toEqual([oldest])
  expect((await as.delete(`${apps}?before=2026-01-02T00:00:00Z`)).body.scheduled_entries).toEqual([oldest])
  // The first request was a dry run.
  clock.advance(30 * DAY)
  await deleteDue()
  expect(await names()).toHaveLength(5)

  expect(await as.delete(`${apps}?dry_run=false`)).toMatchObject({ status: 200, body: both })
  expect(await as.delete(apps)).toMatchObject({ status: 400, body: NONE })
  clock.advance(7 * DAY - 1)
  await deleteDue()
  expect(await names()).toHaveLength(5)
  clock.advance(1)
  await deleteDue()
  expect(await names()).toEqual(['review/open', 'previews/old', 'review'])
})

it('review apps can be deleted by developers only, within limits', async () => {
  await make('review/mine')
  clock.advance(31 * DAY)
  const refused = await here.as(reporter).delete(apps)
  expect([refused.status, refused.body]).toEqual([
    401,
    {
      scheduled_entries: [],
      unprocessable_entries: [],
      message: 'You do not have permission to destroy environments in this project',
    },
  ])
  expect((await here.as(guest).delete(apps)).status).toBe(403)
  for (const limit of ['0', '1001'])
    expect(await as.delete(`${apps}?limit=${limit}`)).toMatchObject({
      status: 400,
      body: { error: 'limit does not have a valid value' },
    })
  expect((await as.delete(`${apps}?before=soon`)).body).toEqual({ error: 'before is invalid' })
  expect((await as.delete(apps)).body.scheduled_entries).toMatchObject([{ name: 'review/mine' }])
})
