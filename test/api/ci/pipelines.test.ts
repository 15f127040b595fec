import { beforeAll, describe, expect, test } from 'vitest'

import { onBehalfOf } from '../../../server/domains/planning/index.ts'
import { mayReceive } from '../../../server/domains.ts'
import { world, type TestUser } from '../../support/world.ts'
import { fill, watchEvents } from '../repository/fill.ts'
import { makeRunner, run, take } from './run-job.ts'

const w = await world()
let owner: TestUser
let dev: TestUser
let guest: TestUser
let outsider: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let at: string
let runner: number
let main: string

const CONFIG = `
stages: [build, test, deploy]
compile:
  stage: build
  script: [make]
unit:
  stage: test
  script: [make test]
  coverage: '/\\d+%/'
lint:
  stage: test
  needs: []
  allow_failure: true
  script: [make lint]
release:
  stage: deploy
  when: manual
  script: [make release]
`

const DEPLOYING = `
bring:
  script: [deploy]
  environment: production
`

beforeAll(async () => {
  owner = w.make.user({ username: 'owner' })
  dev = w.make.user({ username: 'dev' })
  guest = w.make.user({ username: 'guest' })
  outsider = w.make.user({ username: 'outsider' })
  project = await w.make.project({ owner, visibility: 'private' })
  at = `/projects/${project.id}`
  for (const [user, level] of [
    [dev, 30],
    [guest, 10],
  ] as const)
    await w.make.member('projects', project.id, user, level)
  main = fill(w, project, [
    { branch: 'main', message: 'Begin\n\nWith more.', files: { '.gitlab-ci.yml': CONFIG } },
    { branch: 'side', files: { '.gitlab-ci.yml': CONFIG } },
    { branch: 'away', files: { '.gitlab-ci.yml': DEPLOYING } },
  ])[0]!
  await w.as(owner).post(`${at}/protected_branches`, { name: 'main' })
  runner = makeRunner(w)
})

// oxlint-disable-next-line typescript/no-explicit-any
async function make(ref = 'side', more: object = {}, user = dev): Promise<any> {
  const made = await w.as(user).post(`${at}/pipeline`, { ref, ...more })
  expect(made.status).toBe(201)
  return made.body
}
// oxlint-disable-next-line typescript/no-explicit-any
const jobsOf = async (id: number, query = ''): Promise<any[]> =>
  (await w.as(dev).get(`${at}/pipelines/${id}/jobs${query}`)).body
const named = async (id: number, name: string) => (await jobsOf(id)).find((job) => job.name === name)!
const listed = async (query: string): Promise<number[]> =>
  (await w.as(dev).get(`${at}/pipelines?${query}`)).body.map((pipeline: { id: number }) => pipeline.id)

describe('a pipeline', () => {
  test('has the format of the contract in every status', async () => {
    const made = await make('side', { variables: [{ key: 'A', value: 'b' }] })
    const { body } = await w.as(dev).get(`${at}/pipelines/${made.id}`)
    expect(body).toEqual({ ...made, ...body })
    expect(body).toMatchObject({
      project_id: project.id,
      ref: 'side',
      status: 'pending',
      source: 'api',
      name: null,
      tag: false,
      yaml_errors: null,
      before_sha: '0'.repeat(40),
      user: { username: 'dev' },
      started_at: null,
      finished_at: null,
      duration: null,
      queued_duration: null,
      coverage: null,
      web_url: `${w.url}/${project.path_with_namespace}/-/pipelines/${made.id}`,
      detailed_status: {
        icon: 'status_pending',
        text: 'pending',
        label: 'pending',
        group: 'pending',
        tooltip: 'pending',
        has_details: true,
        details_path: `/${project.path_with_namespace}/-/pipelines/${made.id}`,
        illustration: null,
        favicon: '/assets/ci_favicons/favicon_status_pending.png',
      },
    })
    run(w, (await named(made.id, 'compile')).id, runner)
    run(w, (await named(made.id, 'lint')).id, runner, 'failed')
    const unit = await named(made.id, 'unit')
    run(w, unit.id, runner)
    w.ctx().db.exec('UPDATE ci_jobs SET coverage = 41.5 WHERE id = ?', unit.id)
    const after = (await w.as(dev).get(`${at}/pipelines/${made.id}`)).body
    expect(after).toMatchObject({
      status: 'success',
      coverage: '41.50',
      duration: expect.any(Number),
      queued_duration: expect.any(Number),
      detailed_status: {
        icon: 'status_warning',
        text: 'passed',
        label: 'passed with warnings',
        group: 'success-with-warnings',
      },
    })
    expect(after.started_at).not.toBeNull()
    expect(after.finished_at).not.toBeNull()
  })

  test('that is missing or belongs to another project returns 404', async () => {
    const other = await w.make.project({ owner })
    const made = await make()
    for (const path of [`${at}/pipelines/999999`, `/projects/${other.id}/pipelines/${made.id}`]) {
      const { status, body } = await w.as(owner).get(path)
      expect([status, body]).toEqual([404, { message: '404 Not found' }])
    }
    expect((await w.as(outsider).get(`${at}/pipelines/${made.id}`)).status).toBe(404)
    expect((await w.as(null).get(`${at}/pipelines/${made.id}`)).status).toBe(404)
  })

  test('can be named and found by its name', async () => {
    const made = await make()
    const put = (name: string, user = dev) => w.as(user).put(`${at}/pipelines/${made.id}/metadata`, { name })
    expect((await put('Nightly')).body).toMatchObject({ id: made.id, name: 'Nightly' })
    expect(await listed('name=Nightly')).toEqual([made.id])
    expect((await put('x'.repeat(256))).body).toEqual({
      message: { name: ['is too long (maximum is 255 characters)'] },
    })
    expect((await put('No', guest)).status).toBe(403)
    expect((await put('')).body.name).toBeNull()
  })

  test('shows its variables to the user who set them and to maintainers', async () => {
    const variables = [
      { key: 'SECRET', value: 'sesame' },
      { key: 'FILE', value: 'text', variable_type: 'file' },
    ]
    const made = await make('side', { variables })
    const get = (user: TestUser) => w.as(user).get(`${at}/pipelines/${made.id}/variables`)
    expect((await get(dev)).body).toEqual([
      { variable_type: 'file', key: 'FILE', value: 'text', raw: false },
      { variable_type: 'env_var', key: 'SECRET', value: 'sesame', raw: false },
    ])
    expect((await get(owner)).body).toHaveLength(2)
    const other = w.make.user()
    await w.make.member('projects', project.id, other, 30)
    expect([(await get(other)).status, (await get(guest)).status]).toEqual([403, 403])
  })

  test('can be canceled, retried and deleted', async () => {
    const made = await make('side')
    const post = (what: string, user = dev) => w.as(user).post(`${at}/pipelines/${made.id}/${what}`)
    expect([(await post('cancel', guest)).status, (await post('retry', guest)).status]).toEqual([403, 403])
    const canceled = await post('cancel')
    expect([canceled.status, canceled.body.status]).toEqual([200, 'canceled'])
    expect((await post('cancel')).status).toBe(200)
    const again = await post('retry')
    expect([again.status, again.body.status]).toEqual([201, 'pending'])
    expect(await jobsOf(made.id, '?include_retried=true')).toHaveLength(8)
    expect(await jobsOf(made.id)).toHaveLength(4)
    expect((await w.as(dev).delete(`${at}/pipelines/${made.id}`)).status).toBe(403)
    const old = { 'If-Unmodified-Since': 'Tue, 01 Jan 2019 00:00:00 GMT' }
    expect((await w.as(owner).delete(`${at}/pipelines/${made.id}`, undefined, old)).status).toBe(412)
    expect((await w.as(owner).delete(`${at}/pipelines/${made.id}`)).status).toBe(204)
    expect((await w.as(owner).get(`${at}/pipelines/${made.id}`)).status).toBe(404)
    const left = w
      .ctx()
      .db.one<{ n: number }>('SELECT count(*) AS n FROM ci_jobs WHERE pipeline_id = ?', made.id)
    expect(left!.n).toBe(0)
  })

  test('is deleted with its waiting deployments', async () => {
    const made = await make('away')
    const deployments = async () => (await w.as(dev).get(`${at}/deployments?environment=production`)).body
    expect(await deployments()).toMatchObject([{ status: 'created', deployable: { name: 'bring' } }])
    take(w, (await named(made.id, 'bring')).id, runner)
    await w.as(owner).delete(`${at}/pipelines/${made.id}`)
    await w.drain()
    expect(await deployments()).toMatchObject([{ status: 'canceled', deployable: null }])
  })

  test('of a protected branch cannot be changed by users who may not push there', async () => {
    const made = await make('main', {}, owner)
    const { status, body } = await w.as(dev).post(`${at}/pipelines/${made.id}/cancel`)
    expect([status, body]).toEqual([403, { message: '403 Forbidden' }])
    expect((await w.as(owner).post(`${at}/pipelines/${made.id}/cancel`)).body.status).toBe('canceled')
  })
})

describe('the list', () => {
  test('has all filters and sort orders of the contract', async () => {
    const first = await make('side')
    const second = await make('main', {}, owner)
    const both = [second.id, first.id]
    const since = `created_after=${first.created_at}`
    expect(await listed(since)).toEqual(both)
    expect(await listed(`${since}&sort=asc`)).toEqual(both.toReversed())
    expect(await listed(`${since}&order_by=ref&sort=asc`)).toEqual(both)
    for (const order of ['status', 'updated_at', 'user_id'])
      expect((await listed(`${since}&order_by=${order}`)).toSorted()).toEqual(both.toSorted())
    expect(await listed(`${since}&ref=side`)).toEqual([first.id])
    expect(await listed(`${since}&sha=${main}`)).toEqual([second.id])
    expect(await listed(`${since}&username=owner`)).toEqual([second.id])
    expect(await listed(`${since}&username=nobody`)).toEqual([])
    expect(await listed(`${since}&scope=pending`)).toEqual(both)
    expect(await listed(`${since}&scope=running`)).toEqual([])
    expect(await listed(`${since}&scope=finished&status=pending`)).toEqual([])
    expect(await listed(`${since}&status=pending&source=api`)).toEqual(both)
    expect(await listed(`${since}&source=push`)).toEqual([])
    expect(await listed(`${since}&yaml_errors=true`)).toEqual([])
    expect(await listed(`${since}&yaml_errors=false`)).toEqual(both)
    expect(await listed('created_before=2020-01-01')).toEqual([])
    expect(await listed(`updated_after=${first.created_at}&updated_before=2020-01-01`)).toEqual([])
    expect(await listed('scope=branches')).toEqual(both)
    expect(await listed('scope=tags')).toEqual([])
  })

  test('has pages, and refuses unknown values', async () => {
    await make()
    const { headers, body } = await w.as(dev).get(`${at}/pipelines?per_page=1`)
    expect(body).toHaveLength(1)
    expect(Number(headers.get('x-total'))).toBeGreaterThan(1)
    expect(Object.keys(body[0])).toEqual([
      'id',
      'iid',
      'project_id',
      'sha',
      'ref',
      'status',
      'source',
      'created_at',
      'updated_at',
      'web_url',
      'name',
    ])
    for (const name of ['scope', 'status', 'source', 'order_by', 'sort']) {
      const wrong = await w.as(dev).get(`${at}/pipelines?${name}=wrong`)
      expect([wrong.status, wrong.body]).toEqual([400, { error: `${name} does not have a valid value` }])
    }
  })

  test('omits child pipelines unless requested', async () => {
    const made = await make()
    w.ctx().db.exec("UPDATE ci_pipelines SET source = 'parent_pipeline' WHERE id = ?", made.id)
    expect(await listed('')).not.toContain(made.id)
    expect(await listed('source=parent_pipeline')).toEqual([made.id])
  })

  test('is limited to members, and unavailable while pipelines are disabled', async () => {
    expect((await w.as(guest).get(`${at}/pipelines`)).status).toBe(200)
    await w.as(owner).put(at, { public_jobs: false })
    expect((await w.as(guest).get(`${at}/pipelines`)).status).toBe(403)
    await w.as(owner).put(at, { public_jobs: true, builds_access_level: 'disabled' })
    expect((await w.as(owner).get(`${at}/pipelines`)).status).toBe(403)
    await w.as(owner).put(at, { builds_access_level: 'enabled' })
    expect((await w.as(outsider).get(`${at}/pipelines`)).status).toBe(404)
  })
})

describe('the newest pipeline', () => {
  test('belongs to the current commit of the branch', async () => {
    const made = await make('side')
    expect((await w.as(dev).get(`${at}/pipelines/latest?ref=side`)).body.id).toBe(made.id)
    const ofMain = await make('main', {}, owner)
    expect((await w.as(dev).get(`${at}/pipelines/latest`)).body.id).toBe(ofMain.id)
    const none = await w.as(dev).get(`${at}/pipelines/latest?ref=no-such`)
    expect([none.status, none.body]).toEqual([404, { message: '404 Not found' }])
  })
})

describe('the graph', () => {
  test('has the stages with their jobs, and the permissions of the reader', async () => {
    const made = await make('side')
    const before = await named(made.id, 'compile')
    run(w, before.id, runner, 'failed')
    await w.as(dev).post(`${at}/jobs/${before.id}/retry`)
    take(w, (await named(made.id, 'compile')).id, runner)
    const graph = (user: TestUser) => w.as(user).get(`/-/projects/${project.id}/pipelines/${made.id}/graph`)
    const { body } = await graph(dev)
    expect(body).toMatchObject({ pipeline: { id: made.id, status: 'running' }, upstream: null })
    expect(body.stages.map((stage: { name: string; status: string }) => [stage.name, stage.status])).toEqual([
      ['build', 'running'],
      ['test', 'pending'],
      ['deploy', 'created'],
    ])
    const [compile] = body.stages[0].jobs
    expect(compile).toMatchObject({
      kind: 'job',
      name: 'compile',
      status: 'running',
      group: 'running',
      needs: null,
      retries: 1,
      usually: expect.any(Number),
      playable: false,
      retryable: false,
      cancelable: true,
      downstream: null,
    })
    const lint = body.stages[1].jobs.find((job: { name: string }) => job.name === 'lint')
    expect(lint).toMatchObject({
      needs: [],
      allow_failure: true,
      status: 'pending',
      usually: null,
      retries: 0,
    })
    const seen = (await graph(guest)).body.stages[0].jobs[0]
    expect(seen).toMatchObject({ name: 'compile', cancelable: false })
    expect((await graph(outsider)).status).toBe(404)
  })
})

test('events about pipelines and jobs reach users who can read pipelines', async () => {
  const changed = [
    watchEvents(w, 'pipeline.created'),
    watchEvents(w, 'job.changed'),
    watchEvents(w, 'pipeline.changed'),
  ]
  await make('side', {}, owner)
  const receivers = (event: unknown) =>
    [dev, guest, outsider].filter((user) => mayReceive(onBehalfOf(w.ctx(), user.id)!, event))
  for (const events of changed) {
    expect(events.length).toBeGreaterThan(0)
    for (const event of events) expect(receivers(event)).toEqual([dev, guest])
  }
  await w.as(owner).put(at, { public_jobs: false })
  for (const events of changed) expect(receivers(events[0])).toEqual([dev])
  await w.as(owner).put(at, { public_jobs: true })
})

test('jobs are listed as commit statuses for users who can read jobs', async () => {
  const made = await make('side')
  const statuses = async (user: TestUser | null, query = '') =>
    (await w.as(user).get(`${at}/repository/commits/${made.sha}/statuses?per_page=100${query}`)).body
  await w.as(owner).post(`${at}/statuses/${made.sha}`, { state: 'success', name: 'other', ref: 'side' })
  const compile = await named(made.id, 'compile')
  const seen = (await statuses(dev)).find((status: { id: number }) => status.id === compile.id)
  expect(seen).toMatchObject({
    name: 'compile',
    status: 'pending',
    target_url: compile.web_url,
    author: { username: 'dev' },
  })
  expect(await statuses(dev, '&stage=external')).toMatchObject([{ name: 'other' }])
  await w.as(owner).put(at, { builds_access_level: 'disabled' })
  expect(await statuses(dev)).toMatchObject([{ name: 'other' }])
  await w.as(owner).put(at, { builds_access_level: 'enabled' })
})
