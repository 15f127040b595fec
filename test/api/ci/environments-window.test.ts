import { expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { pipelinesWithGit } from './deploying.ts'

const here = await world()
const root = here.as(here.root)
const pipelines = await pipelinesWithGit(here)
const { project } = pipelines
const [developer, reporter, guest] = [here.make.user(), here.make.user(), here.make.user()]
await here.make.member('projects', project.id, developer, 30)
await here.make.member('projects', project.id, reporter, 20)
await here.make.member('projects', project.id, guest, 10)
const levels = { push_access_level: 40, merge_access_level: 40 }
await root.post(`/projects/${project.id}/protected_branches`, { name: 'main', ...levels })
const at = `/-/projects/${project.id}/environments`

interface Line {
  folder: string | null
  size: number
  environment: { id: number; name: string }
}

async function lines(query = ''): Promise<[string | null, number, string][]> {
  const { status, body } = await root.get(`${at}${query}`)
  expect(status).toBe(200)
  return (body as Line[]).map(({ folder, size, environment }) => [folder, size, environment.name])
}

const CONFIG = `
deploy:
  script: x
  environment: { name: review/b, url: "https://b.example.test", on_stop: stop, auto_stop_in: 1 day }
stop:
  script: x
  when: manual
  environment: { name: review/b, action: stop }
`
const pipeline = await pipelines.make(CONFIG)
for (const name of ['production', 'review/a', 'Archive'])
  await root.post(`/projects/${project.id}/environments`, { name })

it('environments are listed by folder, with their deployments and the permissions of the user', async () => {
  pipelines.start(pipeline, 'deploy')
  await here.drain()
  const idOf = async (name: string) =>
    (await root.get(`/projects/${project.id}/environments?name=${name}`)).body[0].id as number
  const environmentPath = `${at}/${await idOf('review/b')}`
  const job = pipelines.job(pipeline, 'deploy')
  expect((await root.get(environmentPath)).body).toMatchObject({
    folder: 'review',
    last_deployment: null,
    upcoming_deployment: { status: 'running', job: { id: job.id, name: 'deploy', pipeline_id: pipeline } },
    has_stop_action: false,
  })
  pipelines.end(pipeline, 'deploy')
  await here.drain()
  const shown = await root.get(environmentPath)
  expect(shown.body).toMatchObject({
    external_url: 'https://b.example.test',
    auto_stop_at: expect.any(String),
    last_deployment: { status: 'success', ref: 'main', title: 'Commit 1', user: { id: 1 }, may_retry: true },
    upcoming_deployment: null,
    has_failed: false,
    has_stop_action: true,
    may_stop: true,
    may_change: true,
  })
  expect((await root.get(`${environmentPath}/deployments`)).body).toEqual([shown.body.last_deployment])
  expect(await lines()).toEqual([
    [null, 1, 'Archive'],
    [null, 1, 'production'],
    ['review', 2, 'review/b'],
  ])
  expect(await lines('?folder=review')).toEqual([
    [null, 1, 'review/a'],
    [null, 1, 'review/b'],
  ])
  expect(await lines('?search=R')).toEqual([
    [null, 1, 'Archive'],
    [null, 1, 'production'],
    [null, 1, 'review/a'],
    [null, 1, 'review/b'],
  ])
  const page = await root.get(`${at}?per_page=2&page=2`)
  expect([page.body.length, page.headers.get('x-total')]).toEqual([1, '3'])
  await root.post(`/projects/${project.id}/environments/${await idOf('production')}/stop`)
  expect(await lines('?side=stopped')).toEqual([[null, 1, 'production']])
  expect((await root.get(`${at}/counts`)).body).toEqual({ active: 3, stopped: 1 })

  const answer = await root.post(`${environmentPath}/keep`)
  expect([answer.status, answer.body.auto_stop_at]).toEqual([200, null])
  expect((await here.as(reporter).post(`${environmentPath}/keep`)).status).toBe(403)

  // On a protected branch a developer can neither stop the environment nor deploy again.
  const seen = (await here.as(developer).get(environmentPath)).body
  expect(seen).toMatchObject({ may_stop: false, may_change: true, last_deployment: { may_retry: false } })
  const read = (await here.as(reporter).get(environmentPath)).body
  expect(read).toMatchObject({ may_stop: false, may_change: false, last_deployment: { may_retry: false } })
  expect((await here.as(guest).get(at)).status).toBe(403)
  expect((await here.as(null).get(at)).status).toBe(401)

  // Later failed deployments are shown next to the current one.
  const { id } = pipelines.job(pipeline, 'deploy')
  await root.post(`/projects/${project.id}/jobs/${id}/retry`)
  pipelines.end(pipeline, 'deploy', 'failed')
  await here.drain()
  expect((await root.get(environmentPath)).body).toMatchObject({
    has_failed: true,
    last_deployment: { id: shown.body.last_deployment.id },
  })
})
