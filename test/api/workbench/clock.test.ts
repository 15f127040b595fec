import { describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'
import { pipelinesOf, upload, zipOf } from '../ci/artifact-world.ts'
import { pipelinesWithGit } from '../ci/deploying.ts'
import { fill, watchEvents } from '../repository/fill.ts'

// The clock of the computer is frozen, so that only the workbench moves the time.
const START = '2026-11-22T08:00:30.000Z'
const here = await world({ clock: frozenClock(START) })
const root = here.as(here.root)
const user = here.make.user()

const move = (body: object, who = here.root) => here.as(who).post('/-/workbench/clock', body)
type Advance = { now: string; target: string; complete: boolean; runs: { name: string; first_at: string }[] }
/** Advances the clock, with as many requests as the time limit of a request needs. */
const advance = async (by: string): Promise<Advance> => {
  let body: object = { action: 'advance', by }
  const runs: Advance['runs'] = []
  for (;;) {
    const answer = await move(body)
    expect(answer.status).toBe(201)
    const done = answer.body as Advance
    runs.push(...done.runs)
    if (done.complete) return { ...done, runs }
    body = { action: 'advance', time: done.target }
  }
}
/** Jumps to shortly before the time that a test waits for, because advancing by days with recurring jobs takes seconds. */
const jump = async (ms: number): Promise<void> => {
  const time = new Date(Date.parse(await now()) + ms).toISOString()
  expect((await move({ action: 'set', time })).status).toBe(201)
  await here.drain()
}
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Jumps to ten minutes before the next occurrence of a time of day, UTC. */
const jumpBefore = async (hour: number): Promise<void> => {
  const present = Date.parse(await now())
  const target = Math.floor(present / DAY) * DAY + hour * HOUR - 10 * MINUTE
  await jump((target > present ? target : target + DAY) - present)
}
const runsOf = (done: Advance, name: string) => done.runs.find((run) => run.name === name)
const now = async (): Promise<string> => (await root.get('/-/workbench/clock')).body.now

describe('the clock', () => {
  it('shows the time of the computer until it is moved', async () => {
    const state = { mode: 'real', now: START, real_now: START }
    expect(await root.get('/-/workbench/clock')).toMatchObject({ status: 200, body: state })
    expect((await here.as(null).get('/-/session')).body.instance.clock).toEqual({ mode: 'real', now: START })
  })

  it('is limited to administrators', async () => {
    expect((await here.as(null).get('/-/workbench/clock')).status).toBe(401)
    expect((await here.as(user).get('/-/workbench/clock')).status).toBe(403)
    expect((await move({ action: 'freeze' }, user)).status).toBe(403)
    expect((await root.get('/-/workbench/clock')).body.mode).toBe('real')
  })

  it.each([
    [{}, 'action'],
    [{ action: 'stop' }, 'action'],
    [{ action: 'set' }, 'set needs a time'],
    [{ action: 'set', time: 'yesterday' }, 'time'],
    [{ action: 'set', time: '2026-11-22T08:00:00Z' }, 'only goes forward'],
    [{ action: 'freeze', time: '1999-01-01' }, 'only goes forward'],
    [{ action: 'advance' }, 'either a time or by'],
    [{ action: 'advance', by: '1h', time: '2027-01-01' }, 'either a time or by'],
    [{ action: 'advance', by: 'a while' }, 'not a duration'],
    [{ action: 'advance', by: '-3 days' }, 'not a duration'],
    [{ action: 'advance', by: '9000 years' }, 'out of range'],
    [{ action: 'run', time: '2027-01-01' }, 'run does not accept a time'],
    [{ action: 'freeze', real: true }, 'freeze does not accept real'],
    [{ action: 'set', time: '2027-01-01', by: '1h' }, 'set does not accept by'],
  ])('refuses %j', async (body, words) => {
    const answer = await move(body)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(words)
    expect((await root.get('/-/workbench/clock')).body).toMatchObject({ mode: 'real', now: START })
  })

  it('freezes, continues, and returns to the computer’s time', async () => {
    const heard = watchEvents(here, 'clock.changed')
    expect((await move({ action: 'freeze' })).body).toMatchObject({ mode: 'frozen', now: START, runs: [] })
    const time = '2026-11-22T09:00:00.000Z'
    expect((await move({ action: 'set', time })).body).toMatchObject({ mode: 'frozen', now: time })
    expect((await move({ action: 'run' })).body).toMatchObject({ mode: 'moved', now: time, real_now: START })
    expect((await here.as(user).get('/-/session')).body.instance.clock).toEqual({ mode: 'moved', now: time })
    expect((await move({ action: 'run', real: true })).body).toMatchObject({ mode: 'real', now: START })
    expect(heard.map((event) => (event as { clock_mode: string }).clock_mode)).toEqual([
      'frozen',
      'frozen',
      'moved',
      'real',
    ])
  })

  it('is moved by one request at a time', async () => {
    const first = move({ action: 'advance', by: '12 hours' })
    while ((await now()) === START);
    expect((await move({ action: 'freeze' })).status).toBe(409)
    expect(await first).toMatchObject({
      status: 201,
      body: { mode: 'moved', target: '2026-11-22T20:00:30.000Z' },
    })
    expect((await move({ action: 'set', time: '2026-11-22T21:00:00Z' })).status).toBe(201)
  })

  it('runs the jobs that become due in between, in order and at their own times', async () => {
    await move({ action: 'set', time: '2026-11-22T23:59:30.000Z' })
    await here.drain()
    const done = await advance('30 minutes')
    expect(runsOf(done, 'ci.start_schedules')).toMatchObject({ kind: 'cron', count: 30, failed: 0 })
    expect(runsOf(done, 'members.remove_expired')).toMatchObject({
      count: 1,
      first_at: '2026-11-23T00:05:00.000Z',
    })
    const firsts = done.runs.map(({ first_at }) => first_at)
    expect(firsts).toEqual([...firsts].sort())
  })

  it('jumps with set, and runs each job that became due once', async () => {
    const { db } = here.ctx()
    const [time, name] = ['2026-11-30T12:34:00.000Z', 'auth.remove_expired_sessions']
    await move({ action: 'set', time })
    await here.drain()
    expect(db.one('SELECT last_run_at FROM cron_runs WHERE name = ?', name)).toEqual({ last_run_at: time })
  })
})

describe('the clock moves the time of', () => {
  it('tokens', async () => {
    const expires_at = new Date(Date.parse(await now()) + 3 * 86_400_000).toISOString().slice(0, 10)
    const token = here.make.token(user, ['api'], { expires_at })
    const readUser = () => here.as({ ...user, token }).get('/user')
    expect((await readUser()).status).toBe(200)
    await jump(2 * DAY)
    expect((await readUser()).status).toBe(200)
    await jumpBefore(24)
    await advance('20 minutes')
    expect((await readUser()).status).toBe(401)
  })

  it('sessions', async () => {
    const signedIn = await here.as(null).post('/-/session', { login: 'root', password: here.root.password })
    expect(signedIn.status).toBe(201)
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
    const whoIs = async () => (await here.as(null).get('/-/session', { cookie })).body.user?.username
    expect(await whoIs()).toBe('root')
    await jump(7 * DAY - 5 * MINUTE)
    await advance('10 minutes')
    expect(await whoIs()).toBeUndefined()
  })

  it('throttles', async () => {
    const settings = {
      throttle_unauthenticated_api_enabled: true,
      throttle_unauthenticated_api_requests_per_period: 1,
      throttle_unauthenticated_api_period_in_seconds: 60,
    }
    await root.put('/application/settings', settings)
    const status = async () => (await here.as(null).get('/projects')).status
    expect([await status(), await status()]).toEqual([200, 429])
    await advance('1 minute')
    expect(await status()).toBe(200)
    await root.put('/application/settings', { throttle_unauthenticated_api_enabled: false })
  })

  it('memberships', async () => {
    const group = await here.make.group()
    const expires_at = new Date(Date.parse(await now()) + 2 * 86_400_000).toISOString().slice(0, 10)
    await root.post(`/groups/${group.id}/members`, { user_id: user.id, access_level: 30, expires_at })
    const members = async () => (await root.get(`/groups/${group.id}/members`)).body.length
    expect(await members()).toBe(2)
    await jump(DAY)
    await jumpBefore(24)
    await advance('20 minutes')
    expect(await members()).toBe(1)
  })

  it('pipeline schedules', async () => {
    const project = await here.make.project()
    fill(here, project, [{ files: { '.gitlab-ci.yml': 'go:\n  script: [echo]\n' } }])
    const at = `/projects/${project.id}/pipeline_schedules`
    const { body } = await root.post(at, { description: 'Nightly', ref: 'main', cron: '0 1 * * *' })
    const from = Date.parse(body.next_run_at)
    for (let night = 0; night < 2; night++) {
      await jumpBefore(1)
      await advance('20 minutes')
    }
    const pipelines = (await root.get(`${at}/${body.id}/pipelines`)).body as { created_at: string }[]
    expect(pipelines.map(({ created_at }) => created_at).sort()).toEqual([
      new Date(from).toISOString(),
      new Date(from + 86_400_000).toISOString(),
    ])
  })

  it('environments', async () => {
    const pipelines = await pipelinesWithGit(here)
    const pipeline = await pipelines.make(
      'deploy: { script: x, environment: { name: review, auto_stop_in: 1 day } }',
      { ref: 'main' },
    )
    pipelines.end(pipeline, 'deploy')
    await here.drain()
    const state = async () =>
      (await root.get(`/projects/${pipelines.project.id}/environments?name=review`)).body[0].state
    await jump(DAY - 5 * MINUTE)
    expect(await state()).toBe('available')
    await advance('10 minutes')
    expect(await state()).toBe('stopped')
  })

  it('artifacts', async () => {
    const project = await here.make.project()
    const { pipeline, job, set } = pipelinesOf(here, project, here.root)
    const ciJob = job(pipeline({ status: 'failed' }))
    expect((await upload(here, ciJob, await zipOf({ 'a.txt': 'a' }), { expire_in: '3 hours' })).status).toBe(
      201,
    )
    set(ciJob.id, { status: 'failed' })
    const isThere = () =>
      here.ctx().db.one('SELECT 1 FROM ci_artifacts WHERE job_id = ?', ciJob.id) !== undefined
    await jump(2 * HOUR)
    expect(isThere()).toBe(true)
    await advance('2 hours 10 minutes')
    expect(isThere()).toBe(false)
  })

  it('exports', async () => {
    const project = await here.make.project({ with: 'readme' })
    const at = `/projects/${project.id}/export`
    expect((await root.post(at)).status).toBe(202)
    await here.drain()
    expect((await root.get(at)).body.export_status).toBe('finished')
    await jump(DAY - 5 * MINUTE)
    await advance('10 minutes')
    expect((await root.get(at)).body.export_status).toBe('none')
  })

  it('mirrors', async () => {
    const allowed = { allow_local_requests_from_web_hooks_and_services: true }
    await root.put('/application/settings', allowed)
    const source = await here.make.project({ with: 'readme' })
    const copy = await here.make.project()
    const import_url = `http://root:${here.root.token}@${new URL(here.url).host}/${source.path_with_namespace}.git`
    expect((await root.put(`/projects/${copy.id}`, { import_url, mirror: true })).status).toBe(200)
    await here.drain()
    const action = { action: 'create', file_path: 'new.txt', content: 'new' }
    await root.post(`/projects/${source.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'new',
      actions: [action],
    })
    const copied = () => root.get(`/projects/${copy.id}/repository/files/new.txt?ref=main`)
    expect((await copied()).status).toBe(404)
    await advance('1 hour')
    expect((await copied()).status).toBe(200)
  })
})
