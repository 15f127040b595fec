import { beforeEach, describe, expect, it } from 'vitest'

import { crons, runSchedule } from '../../../server/domains/ci/schedules/jobs.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { world, type TestUser } from '../../support/world.ts'
import { fill, watchEvents } from '../repository/fill.ts'

const clock = frozenClock('2026-11-22T05:00:30.000Z')
const here = await world({ clock })
const root = here.as(here.root)
const project = await here.make.project({ visibility: 'public' })
const at = `/projects/${project.id}/pipeline_schedules`
await root.put('/application/plan_limits', { plan_name: 'default', ci_pipeline_schedules: 100 })
const CONFIG = 'go:\n  script: [echo]\n'
fill(here, project, [
  { files: { '.gitlab-ci.yml': CONFIG } },
  { branch: 'stable', files: { '.gitlab-ci.yml': CONFIG } },
])
await root.post(`/projects/${project.id}/protected_branches`, {
  name: 'stable',
  push_access_level: 40,
  merge_access_level: 40,
})

async function member(level: number): Promise<TestUser> {
  const user = here.make.user()
  await here.make.member('projects', project.id, user, level)
  return user
}
const [reporter, developer, other, maintainer] = [
  await member(20),
  await member(30),
  await member(30),
  await member(40),
]
const GIVEN = { description: 'Nightly', ref: 'main', cron: '0 1 * * *' }

async function make(owner: TestUser = developer, more: object = {}) {
  const { status, body } = await here.as(owner).post(at, { ...GIVEN, ...more })
  expect(status).toBe(201)
  return body
}

/** Runs the cron job of schedules once. */
async function tick(): Promise<void> {
  await crons.find((cron) => cron.name === 'ci.start_schedules')!.run(here.ctx())
  await here.drain()
}

const pipelinesOf = async (id: number) => (await root.get(`${at}/${id}/pipelines`)).body

describe('a schedule', () => {
  it('is created with its next run', async () => {
    const { status, body } = await here.as(developer).post(at, { ...GIVEN, cron_timezone: 'Europe/Berlin' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      ...GIVEN,
      cron_timezone: 'Europe/Berlin',
      next_run_at: '2026-11-23T00:00:00.000Z',
      active: true,
      created_at: '2026-11-22T05:00:30.000Z',
      updated_at: '2026-11-22T05:00:30.000Z',
      owner: expect.objectContaining({ id: developer.id, username: developer.username }),
      last_pipeline: null,
      variables: [],
    })
    expect((await make()).cron_timezone).toBe('UTC')
  })

  it.each([
    [{ description: undefined }, { error: 'description is missing' }],
    [{ ref: undefined, cron: undefined }, { error: 'ref is missing, cron is missing' }],
    [{ cron: 'often' }, { message: { cron: ['syntax is invalid'] } }],
    [{ cron_timezone: 'Nowhere' }, { message: { cron_timezone: ['syntax is invalid'] } }],
    [
      { description: ' ', ref: '' },
      { message: { description: ["can't be blank"], ref: ["can't be blank"] } },
    ],
    [{ cron: '' }, { message: { cron: ["can't be blank"] } }],
    [{ active: 'perhaps' }, { error: 'active is invalid' }],
  ])('is refused with %j', async (params, expected) => {
    const answer = await here.as(developer).post(at, { ...GIVEN, ...params })
    expect([answer.status, answer.body]).toEqual([400, expected])
  })

  it('can be changed, and runs at its new times', async () => {
    const { id } = await make()
    const mine = here.as(developer)
    const changed = await mine.put(`${at}/${id}`, { description: 'Hourly', cron: '0 * * * *' })
    expect([changed.status, changed.body.description]).toEqual([200, 'Hourly'])
    expect(changed.body.next_run_at).toBe('2026-11-22T06:00:00.000Z')
    expect((await mine.put(`${at}/${id}`, { cron: 'x' })).body).toEqual({
      message: { cron: ['syntax is invalid'] },
    })
    expect((await mine.put(`${at}/${id}`, { ref: '' })).body).toEqual({
      message: { ref: ["can't be blank"] },
    })
    expect((await mine.put(`${at}/${id}`, { active: false })).body.active).toBe(false)
    expect((await mine.put(`${at}/${id}`, {})).status).toBe(200)
    expect((await mine.put(`${at}/999999`, {})).body).toEqual({ message: '404 Pipeline Schedule Not Found' })
  })

  it('is listed, with a filter for active and inactive ones', async () => {
    const [on, off] = [await make(), await make(developer, { active: false })]
    const ids = async (query: string) =>
      (await root.get(`${at}?per_page=100${query}`)).body.map((schedule: { id: number }) => schedule.id)
    expect(await ids('')).toEqual(expect.arrayContaining([on.id, off.id]))
    expect(await ids('&scope=active')).not.toContain(off.id)
    expect(await ids('&scope=inactive')).not.toContain(on.id)
    expect((await root.get(`${at}?scope=some`)).body).toEqual({ error: 'scope does not have a valid value' })
    const [first] = (await root.get(at)).body
    expect(Object.keys(first)).not.toContain('variables')
    expect((await root.get(`${at}?per_page=1`)).headers.get('x-next-page')).toBe('2')
  })

  it('can be deleted', async () => {
    const { id } = await make()
    expect((await here.as(other).delete(`${at}/${id}`)).status).toBe(403)
    expect((await here.as(developer).delete(`${at}/${id}`)).status).toBe(204)
    expect((await root.get(`${at}/${id}`)).body).toEqual({ message: '404 Pipeline Schedule Not Found' })
  })

  it('publishes an event whenever it changes', async () => {
    const received = watchEvents(here, 'schedule.changed')
    const { id } = await make()
    await here.as(developer).put(`${at}/${id}`, { description: 'Other' })
    await here.as(developer).delete(`${at}/${id}`)
    const event = { project_id: project.id, schedule_id: id, actor_id: developer.id }
    expect(received).toEqual([event, event, event])
  })
})

describe('permissions for schedules', () => {
  it('allow reading for users who can read pipelines, not for visitors', async () => {
    const { id } = await make()
    expect((await here.as(null).get(at)).status).toBe(401)
    const stranger = here.as(here.make.user())
    expect((await stranger.get(`${at}/${id}`)).status).toBe(200)
    await root.put(`/projects/${project.id}`, { public_jobs: false })
    expect((await stranger.get(`${at}/${id}`)).status).toBe(403)
    expect((await here.as(reporter).get(`${at}/${id}`)).status).toBe(200)
    await root.put(`/projects/${project.id}`, { public_jobs: true })
  })

  it('allow creation for developers on refs that they may push to', async () => {
    expect((await here.as(reporter).post(at, GIVEN)).status).toBe(403)
    const refused = await here.as(developer).post(at, { ...GIVEN, ref: 'stable' })
    const text = 'The current user is not authorized to create the pipeline schedule'
    expect([refused.status, refused.body]).toEqual([403, { message: `403 Forbidden - ${text}` }])
    expect((await here.as(maintainer).post(at, { ...GIVEN, ref: 'stable' })).status).toBe(201)
    const { id } = await make()
    expect((await here.as(developer).put(`${at}/${id}`, { ref: 'refs/heads/stable' })).status).toBe(403)
    expect((await here.as(developer).put(`${at}/${id}`, { ref: 'later' })).status).toBe(200)
  })

  it('allow changes for the owner and maintainers', async () => {
    const { id } = await make()
    expect((await here.as(other).put(`${at}/${id}`, { description: 'Mine' })).status).toBe(403)
    expect((await here.as(maintainer).put(`${at}/${id}`, { description: 'Ours' })).status).toBe(200)
  })

  it('allow maintainers to take ownership', async () => {
    const { id } = await make()
    expect((await here.as(other).post(`${at}/${id}/take_ownership`)).status).toBe(403)
    const taken = await here.as(maintainer).post(`${at}/${id}/take_ownership`)
    expect([taken.status, taken.body.owner.id]).toEqual([201, maintainer.id])
    expect((await here.as(developer).put(`${at}/${id}`, { description: 'Still mine' })).status).toBe(403)
  })
})

describe('the variables of a schedule', () => {
  it('can be added, changed and deleted by its owner, and are stored encrypted', async () => {
    const { id } = await make()
    const mine = here.as(developer)
    const added = await mine.post(`${at}/${id}/variables`, { key: 'SECRET', value: 'one' })
    expect([added.status, added.body]).toEqual([
      201,
      { variable_type: 'env_var', key: 'SECRET', value: 'one', raw: false },
    ])
    const stored = here
      .ctx()
      .db.one<{ value: string }>('SELECT value FROM ci_schedule_variables WHERE schedule_id = ?', id)
    expect(stored!.value).not.toContain('one')
    const changed = await mine.put(`${at}/${id}/variables/SECRET`, { value: 'two', variable_type: 'file' })
    expect([changed.status, changed.body.value, changed.body.variable_type]).toEqual([200, 'two', 'file'])
    expect((await mine.get(`${at}/${id}`)).body.variables).toEqual([changed.body])
    const removed = await mine.delete(`${at}/${id}/variables/SECRET`)
    expect([removed.status, removed.body]).toEqual([202, changed.body])
    expect((await mine.get(`${at}/${id}`)).body.variables).toEqual([])
  })

  it.each([
    [{ value: 'x' }, { error: 'key is missing' }],
    [{ key: 'A' }, { error: 'value is missing' }],
    [{ key: 'A B', value: 'x' }, { message: { key: ["can contain only letters, digits and '_'."] } }],
    [{ key: 'A', value: 'x', variable_type: 'tape' }, { error: 'variable_type does not have a valid value' }],
  ])('are refused with %j', async (params, expected) => {
    const { id } = await make()
    const answer = await here.as(developer).post(`${at}/${id}/variables`, params)
    expect([answer.status, answer.body]).toEqual([400, expected])
  })

  it('have unique names', async () => {
    const { id } = await make()
    const add = () => here.as(developer).post(`${at}/${id}/variables`, { key: 'ONE', value: 'x' })
    await add()
    const again = await add()
    expect([again.status, again.body]).toEqual([400, { message: { key: ['has already been taken'] } }])
    const missing = await here.as(developer).put(`${at}/${id}/variables/TWO`, { value: 'x' })
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Variable Not Found' }])
  })

  it('are visible to its owner and to maintainers', async () => {
    const { id } = await make()
    await here.as(developer).post(`${at}/${id}/variables`, { key: 'SECRET', value: 'one' })
    const add = (user: TestUser) => here.as(user).post(`${at}/${id}/variables`, { key: 'A', value: 'x' })
    expect((await add(other)).status).toBe(403)
    expect((await here.as(other).delete(`${at}/${id}/variables/SECRET`)).status).toBe(403)
    expect((await here.as(other).get(`${at}/${id}`)).body).not.toHaveProperty('variables')
    expect((await here.as(maintainer).get(`${at}/${id}`)).body.variables).toHaveLength(1)
    await root.put(`/projects/${project.id}`, { restrict_user_defined_variables: true })
    expect((await add(developer)).body.message).toContain('not authorized to set pipeline schedule variables')
    expect((await add(maintainer)).status).toBe(201)
    await root.put(`/projects/${project.id}`, { restrict_user_defined_variables: false })
  })
})

describe('a schedule that is due', () => {
  // The schedules of other tests would run as well.
  beforeEach(() => void here.ctx().db.exec('DELETE FROM ci_schedules'))

  it('creates a pipeline as its owner, with its variables, and gets its next run time', async () => {
    const { id } = await make(developer, { cron: '10 5 * * *' })
    await here.as(developer).post(`${at}/${id}/variables`, { key: 'WHEN', value: 'nightly' })
    await tick()
    expect(await pipelinesOf(id)).toEqual([])
    clock.advance(15 * 60_000)
    await tick()
    const [pipeline, ...more] = await pipelinesOf(id)
    expect(more).toEqual([])
    expect(pipeline).toMatchObject({ source: 'schedule', ref: 'main' })
    const { body } = await root.get(`/projects/${project.id}/pipelines/${pipeline.id}`)
    expect(body.user.id).toBe(developer.id)
    const variables = await root.get(`/projects/${project.id}/pipelines/${pipeline.id}/variables`)
    expect(variables.body).toEqual([{ variable_type: 'env_var', key: 'WHEN', value: 'nightly', raw: false }])
    const after = (await root.get(`${at}/${id}`)).body
    expect(after.next_run_at).toBe('2026-11-23T05:10:00.000Z')
    expect(after.last_pipeline).toMatchObject({ id: pipeline.id, sha: pipeline.sha, ref: 'main' })
    await tick()
    expect(await pipelinesOf(id)).toHaveLength(1)
  })

  it('runs once for several missed times, and not while it is inactive', async () => {
    const [on, off] = [await make(), await make(developer, { active: false })]
    clock.advance(5 * 86_400_000)
    await tick()
    expect(await pipelinesOf(on.id)).toHaveLength(1)
    expect(await pipelinesOf(off.id)).toEqual([])
  })

  it('creates one pipeline for each time, even if the job is retried', async () => {
    const { id } = await make()
    const args = { schedule_id: id, user_id: null, asked_at: here.ctx().now }
    await runSchedule.run(here.ctx(), args)
    await runSchedule.run(here.ctx(), args)
    expect(await pipelinesOf(id)).toHaveLength(1)
  })

  it('stays active if no pipeline is created', async () => {
    const { id } = await make(developer, { ref: 'gone' })
    clock.advance(86_400_000)
    await tick()
    expect(await pipelinesOf(id)).toEqual([])
    expect((await root.get(`${at}/${id}`)).body.active).toBe(true)
  })

  it('is deactivated if its owner may no longer create pipelines', async () => {
    const [left, blocked] = [await member(30), await member(30)]
    const ids = [(await make(left)).id, (await make(blocked)).id]
    await root.put(`/projects/${project.id}/members/${left.id}`, { access_level: 20 })
    await root.post(`/users/${blocked.id}/block`)
    clock.advance(86_400_000)
    await tick()
    for (const id of ids) {
      expect(await pipelinesOf(id)).toEqual([])
      expect((await root.get(`${at}/${id}`)).body.active).toBe(false)
    }
  })
})

describe('running a schedule by hand', () => {
  it('creates a pipeline of the user who runs it', async () => {
    const { id } = await make(developer, { active: false })
    const played = await here.as(other).post(`${at}/${id}/play`)
    expect([played.status, played.body]).toEqual([201, { message: '201 Created' }])
    await here.drain()
    const [pipeline] = await pipelinesOf(id)
    const { body } = await root.get(`/projects/${project.id}/pipelines/${pipeline.id}`)
    expect([body.source, body.user.id]).toEqual(['schedule', other.id])
  })

  it('is refused for reporters and on protected refs', async () => {
    const { id } = await make(maintainer, { ref: 'stable' })
    expect((await here.as(reporter).post(`${at}/${id}/play`)).status).toBe(403)
    expect((await here.as(developer).post(`${at}/${id}/play`)).status).toBe(403)
    expect((await here.as(maintainer).post(`${at}/${id}/play`)).status).toBe(201)
  })
})
