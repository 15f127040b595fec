import { describe, expect, it } from 'vitest'

import { refTarget } from '../../../server/git/read/revisions.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'
import { onDisk } from '../repository/fill.ts'
import { pipelinesWithGit } from './deploying.ts'

const HOUR = 3_600_000
const clock = frozenClock('2026-11-22T08:00:00.000Z')
const here = await world({ clock })
const root = here.as(here.root)
const pipelines = await pipelinesWithGit(here, { visibility: 'public' })
const { project } = pipelines
const [developer, maintainer, reporter, guest] = [
  here.make.user(),
  here.make.user(),
  here.make.user(),
  here.make.user(),
]
await here.make.member('projects', project.id, maintainer, 40)
await here.make.member('projects', project.id, developer, 30)
await here.make.member('projects', project.id, reporter, 20)
await here.make.member('projects', project.id, guest, 10)
const as = here.as(developer)
const at = `/projects/${project.id}/deployments`
const sha = pipelines.commit()
const params = { environment: 'given', sha, ref: 'main', tag: false, status: 'running' }
const deploy = async (more: object = {}) => (await as.post(at, { ...params, ...more })).body
const environment = async (name: string) =>
  (await as.get(`/projects/${project.id}/environments?name=${name}`)).body[0]

describe('deployments of other systems', () => {
  it('can be created, and make their environment available when they succeed', async () => {
    const made = await as.post(at, params)
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: made.body.id,
        iid: 1,
        ref: 'main',
        sha,
        created_at: '2026-11-22T08:00:00.000Z',
        updated_at: '2026-11-22T08:00:00.000Z',
        user: expect.objectContaining({ id: developer.id }),
        environment: { id: expect.any(Number), name: 'given', slug: 'given', external_url: null },
        deployable: null,
        status: 'running',
        pending_approval_count: 0,
        approvals: [],
        approval_summary: { rules: [] },
      },
    ])
    const deploymentPath = `${at}/${made.body.id}`
    expect((await as.get(deploymentPath)).body).toEqual(made.body)
    const { pending_approval_count: _, approvals: __, approval_summary: ___, ...listed } = made.body
    expect((await as.get(at)).body).toEqual([listed])
    await as.post(`/projects/${project.id}/environments/${made.body.environment.id}/stop`)
    clock.advance(HOUR)
    const done = await as.put(deploymentPath, { status: 'success' })
    expect([done.status, done.body]).toEqual([
      200,
      { ...made.body, status: 'success', updated_at: '2026-11-22T09:00:00.000Z' },
    ])
    expect(await environment('given')).toMatchObject({
      state: 'available',
      last_deployment: { id: made.body.id },
    })
    await here.drain()
    const ref = 'refs/environments/given/deployments/1'
    expect(await refTarget(onDisk(here, project), ref)).toBe(sha)
  })

  it('allow only valid status changes', async () => {
    const { id } = await deploy({ environment: 'steps' })
    const put = (status: string) => as.put(`${at}/${id}`, { status })
    const cannot = (step: string) => ({
      status: 400,
      body: { message: { status: [`cannot transition via "${step}"`] } },
    })
    expect(await put('running')).toMatchObject(cannot('run'))
    for (const status of ['failed', 'canceled', 'success', 'failed'])
      expect(await put(status)).toMatchObject({ status: 200, body: { status } })
    expect(await put('failed')).toMatchObject(cannot('drop'))
    expect(await put('running')).toMatchObject(cannot('run'))
    expect((await put('created')).body).toEqual({ error: 'status does not have a valid value' })
    expect((await environment('steps')).last_deployment).toBeNull()
  })

  it.each([
    [{ sha: undefined }, { error: 'sha is missing' }],
    [
      { environment: undefined, ref: undefined, tag: undefined, status: undefined },
      { error: 'environment is missing, ref is missing, tag is missing, status is missing' },
    ],
    [{ status: 'created' }, { error: 'status does not have a valid value' }],
    [{ sha: 'a'.repeat(40) }, { message: { sha: ['The commit does not exist'] } }],
    [{ ref: 'nowhere' }, { message: { ref: ['The branch or tag does not exist'] } }],
    [{ environment: ' ' }, { message: { name: ["can't be blank"] } }],
  ])('are refused with %j', async (more, body) => {
    expect(await as.post(at, { ...params, ...more })).toMatchObject({ status: 400, body })
  })

  it('can be deleted unless they run or are the last deployment of the environment', async () => {
    const [first, second, running] = [
      await deploy({ environment: 'gone', status: 'success' }),
      await deploy({ environment: 'gone', status: 'success' }),
      await deploy({ environment: 'gone' }),
    ]
    await here.drain()
    const remove = (id: number) => here.as(maintainer).delete(`${at}/${id}`)
    expect(await remove(running.id)).toMatchObject({
      status: 400,
      body: { message: 'Cannot destroy running deployment' },
    })
    expect(await remove(second.id)).toMatchObject({
      status: 400,
      body: { message: 'Deployment currently deployed to environment' },
    })
    expect((await as.delete(`${at}/${first.id}`)).status).toBe(403)
    expect((await remove(first.id)).status).toBe(204)
    expect(await remove(first.id)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    await here.drain()
    const ref = (iid: number) => refTarget(onDisk(here, project), `refs/environments/gone/deployments/${iid}`)
    expect([await ref(first.iid), await ref(second.iid)]).toEqual([null, sha])
  })

  it('need no approval', async () => {
    const { id } = await deploy({ environment: 'approved' })
    const approve = (more: object) => as.post(`${at}/${id}/approval`, more)
    expect(await approve({ status: 'approved', comment: 'fine' })).toMatchObject({
      status: 400,
      body: { message: 'This deployment is not waiting for approvals.' },
    })
    expect((await approve({})).body).toEqual({ error: 'status is missing' })
    expect((await as.post(`${at}/4711/approval`, { status: 'rejected' })).status).toBe(404)
  })
})

it('deployments of jobs cannot be changed through the API', async () => {
  const pipeline = await pipelines.make('deploy: { script: x, environment: jobs }')
  pipelines.end(pipeline, 'deploy')
  await here.drain()
  const [deployment] = (await as.get(`${at}?environment=jobs`)).body
  expect(deployment.deployable).toMatchObject({ name: 'deploy', pipeline: { id: pipeline } })
  expect(await as.put(`${at}/${deployment.id}`, { status: 'failed' })).toMatchObject({
    status: 403,
    body: {
      message: '403 Forbidden - Deployments created using GitLab CI can not be updated using the API',
    },
  })
})

it('deployments are listed by environment, status and time, in the requested order', async () => {
  const other = await pipelinesWithGit(here)
  const path = `/projects/${other.project.id}/deployments`
  const commit = other.commit()
  const made: { id: number }[] = []
  for (const [name, status] of [
    ['a', 'running'],
    ['b', 'success'],
    ['a', 'failed'],
  ]) {
    clock.advance(HOUR)
    const { body } = await root.post(path, {
      environment: name,
      sha: commit,
      ref: 'main',
      tag: false,
      status,
    })
    made.push(body)
  }
  const [first, second, third] = made.map((deployment) => deployment.id)
  const times = made.map((deployment) => (deployment as unknown as { updated_at: string }).updated_at)
  clock.advance(HOUR)
  await root.put(`${path}/${first}`, { status: 'canceled' })
  const ids = async (query: string) => {
    const { status, body } = await root.get(`${path}?${query}`)
    expect(status).toBe(200)
    return (body as { id: number }[]).map((deployment) => deployment.id)
  }
  expect(await ids('')).toEqual([first, second, third])
  expect(await ids('sort=desc')).toEqual([third, second, first])
  expect(await ids('order_by=updated_at')).toEqual([second, third, first])
  expect(await ids('order_by=finished_at&sort=desc')).toEqual([first, third, second])
  expect(await ids('order_by=ref')).toEqual([first, second, third])
  expect(await ids('environment=a')).toEqual([first, third])
  expect(await ids('environment=nowhere')).toEqual([])
  expect(await ids('status=failed')).toEqual([third])
  expect(await ids('status=blocked')).toEqual([])
  expect(await ids(`order_by=updated_at&updated_after=${times[2]}`)).toEqual([third, first])
  expect(await ids(`order_by=updated_at&updated_before=${times[1]}`)).toEqual([second])
  expect(await ids(`finished_before=${times[2]}`)).toEqual([second, third])
  const page = await root.get(`${path}?per_page=1&page=2`)
  expect([page.body[0].id, page.headers.get('x-total')]).toEqual([second, '3'])
  for (const query of [`updated_after=${times[0]}`, `updated_before=${times[0]}&order_by=created_at`])
    expect(await root.get(`${path}?${query}`)).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - `updated_at` filter and `updated_at` sorting must be paired' },
    })
  for (const query of ['status=skipped', 'order_by=sha', 'updated_after=soon'])
    expect((await root.get(`${path}?${query}`)).status).toBe(400)
})

it('deployments are visible to reporters and can be created by developers', async () => {
  const { id } = await deploy({ environment: 'rights' })
  const statuses = (who: Parameters<typeof here.as>[0]) =>
    Promise.all([
      here.as(who).get(at),
      here.as(who).get(`${at}/${id}`),
      here.as(who).post(at, params),
      here.as(who).put(`${at}/${id}`, { status: 'running' }),
      here.as(who).delete(`${at}/${id}`),
    ]).then((all) => all.map((answer) => answer.status))
  expect(await statuses(reporter)).toEqual([200, 200, 403, 403, 403])
  expect(await statuses(guest)).toEqual([403, 403, 403, 403, 403])
  expect(await statuses(null)).toEqual([401, 401, 401, 401, 401])
  const elsewhere = await here.make.project()
  expect((await root.get(`/projects/${elsewhere.id}/deployments/${id}`)).body).toEqual({
    message: '404 Not found',
  })
})
