import { describe, expect, it } from 'vitest'

import { world, type Answer } from '../../support/world.ts'

const here = await world()
const admin = here.as(here.root)
const user = here.make.user()
const as = here.as(user)
const group = await here.make.group({ owner: user })
const project = await here.make.project({ owner: user })
const answerOf = ({ status, body }: Answer) => [status, body]

const READS = [
  '/application/statistics',
  '/application/plan_limits',
  '/features',
  '/features/definitions',
  '/license',
  '/licenses',
  '/license/1',
  '/sidekiq/queue_metrics',
  '/sidekiq/process_metrics',
  '/sidekiq/job_stats',
  '/sidekiq/compound_metrics',
  '/usage_data/service_ping',
  '/usage_data/non_sql_metrics',
  '/usage_data/queries',
  '/-/admin/overview',
]

it.each(READS)('%s is limited to administrators', async (path) => {
  expect((await admin.get(path)).status).toBe(200)
  expect(answerOf(await as.get(path))).toEqual([403, { message: '403 Forbidden' }])
  expect((await here.as(null).get(path)).status).toBe(401)
})

describe('statistics', () => {
  it('contain current numbers as formatted text', async () => {
    const { db, now } = here.ctx()
    const before = (await admin.get('/application/statistics')).body
    expect(Object.keys(before)).toEqual([
      'forks',
      'issues',
      'merge_requests',
      'notes',
      'snippets',
      'ssh_keys',
      'milestones',
      'users',
      'groups',
      'projects',
      'active_users',
    ])
    expect(before).toMatchObject({ issues: '0', groups: '1', projects: '1', users: '2', active_users: '2' })
    db.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12345)
       INSERT INTO milestones (project_id, iid, title, created_at, updated_at) SELECT ?, i, 'M' || i, ?, ? FROM n`,
      project.id,
      now,
      now,
    )
    expect((await admin.get('/application/statistics')).body).toEqual({ ...before, milestones: '12,345' })
    db.exec('DELETE FROM milestones WHERE project_id = ?', project.id)
  })
})

describe('limits of the plan', () => {
  it('are shown, changed and reset', async () => {
    const before = await admin.get('/application/plan_limits')
    expect(before.body).toEqual({
      ci_pipeline_size: 0,
      ci_active_jobs: 0,
      ci_project_subscriptions: 2,
      ci_pipeline_schedules: 10,
      ci_needs_size_limit: 50,
      ci_registered_group_runners: 1000,
      ci_registered_project_runners: 1000,
      conan_max_file_size: 3221225472,
      generic_packages_max_file_size: 5368709120,
      helm_max_file_size: 5242880,
      maven_max_file_size: 3221225472,
      npm_max_file_size: 524288000,
      nuget_max_file_size: 524288000,
      pypi_max_file_size: 3221225472,
      terraform_module_max_file_size: 1073741824,
      storage_size_limit: 0,
      pipeline_hierarchy_size: 1000,
    })
    expect(answerOf(await admin.get('/application/plan_limits?plan_name=gold'))).toEqual([
      400,
      { error: 'plan_name does not have a valid value' },
    ])
    expect(answerOf(await admin.put('/application/plan_limits', { ci_pipeline_size: 1 }))).toEqual([
      400,
      { error: 'plan_name is missing' },
    ])
    const negative = { plan_name: 'default', ci_pipeline_size: -1 }
    expect(answerOf(await admin.put('/application/plan_limits', negative))).toEqual([
      400,
      { message: { ci_pipeline_size: ['must be greater than or equal to 0'] } },
    ])
    const changed = await admin.put('/application/plan_limits', {
      plan_name: 'default',
      conan_max_file_size: 10,
    })
    expect(answerOf(changed)).toEqual([200, { ...before.body, conan_max_file_size: 10 }])
    expect((await admin.get('/application/plan_limits?plan_name=default')).body).toEqual(changed.body)
    await admin.put('/application/plan_limits', { plan_name: 'default', conan_max_file_size: 3221225472 })
    expect((await admin.get('/application/plan_limits')).body).toEqual(before.body)
  })
})

describe('features', () => {
  const set = async (name: string, params: object) => answerOf(await admin.post(`/features/${name}`, params))
  const gate = (key: string, value: unknown) => ({ key, value })

  it('are enabled and disabled for everybody, for single actors and for a percentage', async () => {
    expect((await admin.get('/features')).body).toEqual([])
    const shown = (name: string, state: string, ...gates: object[]) => [
      201,
      { name, state, gates, definition: null },
    ]
    const open = gate('boolean', true)
    const closed = gate('boolean', false)
    expect(await set('all', { value: 'true' })).toEqual(shown('all', 'on', open))
    expect(await set('all', { value: false })).toEqual(shown('all', 'off', closed))
    expect(await set('part', { value: 30 })).toEqual(
      shown('part', 'conditional', closed, gate('percentage_of_time', 30)),
    )
    expect(await set('part', { value: '42', key: 'percentage_of_actors' })).toEqual(
      shown('part', 'conditional', closed, gate('percentage_of_actors', 42), gate('percentage_of_time', 30)),
    )
    const some = { value: 'true', user: user.username, group: group.full_path, feature_group: 'team' }
    expect(await set('some', some)).toEqual(
      shown(
        'some',
        'conditional',
        closed,
        gate('groups', ['team']),
        gate('actors', [`User:${user.id}`, `Group:${group.id}`]),
      ),
    )
    expect(await set('some', { value: 'true', project: project.path_with_namespace })).toMatchObject([
      201,
      {
        gates: [
          closed,
          {},
          gate('actors', [`User:${user.id}`, `Group:${group.id}`, `Project:${project.id}`]),
        ],
      },
    ])
    // One client library sends an additional slash.
    expect((await admin.get('/features/')).body).toHaveLength(3)
    expect((await admin.post('/features//all', { value: true })).body).toMatchObject({ state: 'on' })
    // Another client library sends an empty text for each absent target.
    const empty = { feature_group: '', user: '', group: '', namespace: '', project: '', repository: '' }
    expect(await set('all', { value: true, key: '', force: false, ...empty })).toEqual(
      shown('all', 'on', open),
    )
    expect(await set('part', { value: 42, key: 'percentage_of_actors', ...empty })).toMatchObject([
      201,
      { state: 'conditional' },
    ])
    const fewer = { value: 'false', user: user.username, feature_group: 'team' }
    expect(await set('some', fewer)).toMatchObject([
      201,
      { gates: [closed, gate('actors', [`Group:${group.id}`, `Project:${project.id}`])] },
    ])
    expect(await set('some', { value: 'true' })).toEqual(shown('some', 'on', open))
    const names = (await admin.get('/features')).body.map((feature: { name: string }) => feature.name)
    expect(names).toEqual(['all', 'part', 'some'])
    for (const name of names) expect((await admin.delete(`/features/${name}`)).status).toBe(204)
    expect((await admin.delete('/features/nothing')).status).toBe(204)
    expect((await admin.get('/features')).body).toEqual([])
  })

  it('return the reason for a refusal', async () => {
    const bad = (text: string) => [400, { message: `400 Bad request - ${text}` }]
    expect(await set('x', {})).toEqual([400, { error: 'value is missing' }])
    expect(await set('x', { value: 'maybe' })).toEqual(bad('value is invalid'))
    expect(await set('x', { value: '101' })).toEqual(
      bad('Percentage must be a positive number less than or equal to 100, but was 101'),
    )
    expect(await set('x', { value: 'true', user: 'nobody-here' })).toEqual(bad('nobody-here is not found!'))
    expect(await set('x', { value: '1', key: 'percentage_of_time', user: 'root' })).toEqual([
      400,
      { error: 'key, user are mutually exclusive' },
    ])
    expect((await as.post('/features/x', { value: 'true' })).status).toBe(403)
    expect((await admin.get('/features')).body).toEqual([])
  })
})

it('the license covers all users, and cannot be removed', async () => {
  const { body } = await admin.get('/license')
  expect(body).toMatchObject({ id: 1, plan: 'ultimate', expired: false, expires_at: null, active_users: 2 })
  expect((await admin.get('/licenses')).body).toEqual([body])
  expect(answerOf(await admin.post('/license', { license: 'eyJkYXRh' }))).toEqual([
    400,
    { message: 'The license key is invalid.' },
  ])
  expect(answerOf(await admin.post('/license', {}))).toEqual([400, { error: 'license is missing' }])
  expect(answerOf(await admin.put('/license/1/refresh_billable_users'))).toEqual([202, { success: true }])
  expect((await admin.delete('/license/1')).status).toBe(204)
  expect((await admin.get('/license/1')).body).toEqual(body)
  expect(answerOf(await admin.delete('/license/2'))).toEqual([404, { message: '404 License Not Found' }])
})

describe('jobs', () => {
  const never = '2099-01-01T00:00:00.000Z'
  const due = '2020-01-01T00:00:00.000Z'
  const wait = (name: string, args: object, run_at: string, lane = 'main') =>
    here
      .ctx()
      .db.exec(
        'INSERT INTO jobs (name, args, lane, run_at, created_at) VALUES (?, ?, ?, ?, ?)',
        name,
        JSON.stringify(args),
        lane,
        run_at,
        due,
      )

  it('are counted by state', async () => {
    await here.drain()
    const { db } = here.ctx()
    const before = (await admin.get('/sidekiq/job_stats')).body.jobs
    wait('later', {}, never)
    db.exec(
      "INSERT INTO jobs (name, args, state, run_at, created_at, finished_at, error) VALUES ('broken', '{}', 'failed', ?, ?, ?, 'No luck')",
      due,
      due,
      due,
    )
    // One client library sends an additional slash.
    const all = (await admin.get('//sidekiq/compound_metrics')).body
    expect(all).toMatchObject({
      queues: { default: { backlog: 0, latency: 0 }, outside: { backlog: 0, latency: 0 } },
      processes: [{ pid: process.pid, queues: ['default', 'outside'], busy: 0, concurrency: 12 }],
      jobs: {
        processed: before.processed + 1,
        failed: before.failed + 1,
        enqueued: before.enqueued + 1,
        dead: before.dead + 1,
      },
    })
    const overview = (await admin.get('/-/admin/overview')).body
    expect(overview.failures[0]).toMatchObject({ name: 'broken', error: 'No luck' })
    expect(overview.health.every((check: { problem: unknown }) => check.problem === null)).toBe(true)
    expect(overview.parts).toContainEqual({ name: 'database', bytes: expect.any(Number) })
    db.exec("DELETE FROM jobs WHERE name IN ('broken', 'later')")
  })

  it('are deleted by user, project and name', async () => {
    const at = '/admin/sidekiq/queues'
    wait('one', { project_id: project.id, actor_id: user.id }, never)
    wait('one', { project_id: 0 }, never)
    wait('two', {}, never, 'outside')
    const { db } = here.ctx()
    const left = (lane: string) =>
      db.one<{ n: number }>("SELECT count(*) AS n FROM jobs WHERE state = 'ready' AND lane = ?", lane)!.n
    const main = left('main')
    expect(answerOf(await admin.delete(`${at}/default`))).toEqual([
      400,
      { error: 'user, project, worker_class are missing, at least one parameter must be provided' },
    ])
    expect((await admin.delete(`${at}/nowhere?worker_class=one`)).status).toBe(404)
    expect((await admin.delete(`${at}/default?user=nobody-here`)).status).toBe(404)
    const query = `worker_class=one&project=${encodeURIComponent(project.path_with_namespace)}&user=${user.username}`
    expect(answerOf(await admin.delete(`${at}/default?${query}`))).toEqual([
      200,
      { completed: true, deleted_jobs: 1, queue_size: main - 1 },
    ])
    expect((await admin.delete(`${at}/outside?worker_class=two`)).body.deleted_jobs).toBe(1)
    expect((await admin.delete(`${at}/default?worker_class=one`)).body.deleted_jobs).toBe(1)
    expect((await as.delete(`${at}/default?worker_class=one`)).status).toBe(403)
  })
})

it('usage events of clients are accepted and dropped', async () => {
  expect((await as.post('/usage_data/increment_counter', { event: 'opened' })).status).toBe(200)
  expect((await as.post('/usage_data/increment_unique_users', {})).status).toBe(400)
  expect((await here.as(null).post('/usage_data/track_event', { event: 'x' })).status).toBe(401)
  expect((await here.as(null).get('/usage_data/metric_definitions')).text).toBe('--- []\n')
})
