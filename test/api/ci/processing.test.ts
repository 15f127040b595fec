import { describe, expect, test } from 'vitest'

import * as jobs from '../../../server/domains/ci/jobs/store.ts'
import * as pipelines from '../../../server/domains/ci/pipelines/store.ts'
import { cancelPipeline, processPipeline } from '../../../server/domains/ci/processing/state.ts'
import { playJob, retryJob, retryPipeline } from '../../../server/domains/ci/processing/rerun.ts'
import { mayChange } from '../../../server/domains/ci/policy.ts'
import { dropJob, startJob, cancelJob } from '../../../server/domains/ci/processing/run.ts'
import { onBehalfOf } from '../../../server/domains/planning/index.ts'
import { world } from '../../support/world.ts'
import { watchEvents } from '../repository/fill.ts'
import { pipelinesWithoutGit } from './processing.ts'

const w = await world()
const l = await pipelinesWithoutGit(w)

const S = 'script: [x]'
const STAGES = `
stages: [build, test, deploy]
a: { stage: build, ${S} }
b: { stage: test, ${S} }
c: { stage: deploy, ${S} }
`

test('jobs of a protected branch can be changed by users who may push or merge there, others by all developers', async () => {
  const [developer, maintainer] = [w.make.user(), w.make.user()]
  await w.make.member('projects', l.project.id, developer, 30)
  await w.make.member('projects', l.project.id, maintainer, 40)
  const may = (user: { id: number }, ref: string, tag = false) =>
    mayChange(onBehalfOf(l.ctx(), user.id)!, l.project, { ref, tag })
  for (const name of ['release', 'merged']) {
    const merge_access_level = name === 'merged' ? 30 : 40
    const params = { name, push_access_level: 40, merge_access_level }
    expect((await w.as(w.root).post(`/projects/${l.project.id}/protected_branches`, params)).status).toBe(201)
  }
  expect([may(developer, 'release'), may(maintainer, 'release')]).toEqual([false, true])
  expect([may(developer, 'merged'), may(developer, 'feature'), may(developer, 'v1', true)]).toEqual([
    true,
    true,
    true,
  ])
  expect(may(developer, 'refs/merge-requests/1/head')).toBe(true)
})

describe('jobs by stages', () => {
  test('run one stage after the other and set the status of the pipeline', async () => {
    const received = watchEvents(w, 'pipeline.changed')
    const p = await l.make(STAGES)
    expect([l.states(p), l.status(p)]).toEqual([{ a: 'pending', b: 'created', c: 'created' }, 'pending'])
    l.start(p, 'a')
    expect(l.status(p)).toBe('running')
    l.end(p, 'a')
    expect([l.states(p), l.status(p)]).toEqual([{ a: 'success', b: 'pending', c: 'created' }, 'running'])
    l.end(p, 'b')
    l.end(p, 'c')
    expect(l.status(p)).toBe('success')
    expect(received.map(({ previous_status, status }) => `${previous_status} ${status}`)).toEqual([
      'created pending',
      'pending running',
      'running success',
    ])
    const row = pipelines.byId(l.ctx().db, p)!
    expect([row.started_at, row.finished_at, row.duration]).toEqual([
      expect.any(String),
      expect.any(String),
      0,
    ])
  })

  test('are skipped after a failure', async () => {
    const p = await l.make(`${STAGES}
on-failure: { stage: deploy, ${S}, when: on_failure }
always: { stage: deploy, ${S}, when: always }
by-hand: { stage: deploy, ${S}, when: manual }
later: { stage: deploy, ${S}, when: delayed, start_in: 1 hour }`)
    l.end(p, 'a', 'failed')
    expect(l.states(p)).toEqual({
      a: 'failed',
      b: 'skipped',
      c: 'skipped',
      'on-failure': 'pending',
      always: 'pending',
      'by-hand': 'skipped',
      later: 'skipped',
    })
    expect(l.status(p)).toBe('running')
    l.end(p, 'on-failure')
    l.end(p, 'always')
    expect(l.status(p)).toBe('failed')
    expect(l.job(p, 'a')).toMatchObject({ failure_reason: 'script_failure', exit_code: null })
  })

  test('may fail with allow_failure, also for certain exit codes', async () => {
    const p = await l.make(`${STAGES}
soft: { stage: build, ${S}, allow_failure: true }
coded: { stage: build, ${S}, allow_failure: { exit_codes: [42, 43] } }`)
    l.end(p, 'a')
    l.end(p, 'soft', 'failed', 1)
    expect(l.end(p, 'coded', 'failed', 43)).toMatchObject({ allow_failure: true, exit_code: 43 })
    expect(l.states(p)['b']).toBe('pending')
    const again = retryJob(l.ctx(), l.job(p, 'coded'))
    expect(again.allow_failure).toBe(false)
    expect(l.end(p, 'coded', 'failed', 1).allow_failure).toBe(false)
    l.end(p, 'b')
    expect([l.states(p)['c'], l.status(p)]).toEqual(['skipped', 'failed'])
  })

  test('wait for a manual job only if it may not fail', async () => {
    const optional = await l.make(`${STAGES}\nask: { stage: build, ${S}, when: manual }`)
    l.end(optional, 'a')
    expect([l.states(optional)['ask'], l.states(optional)['b']]).toEqual(['manual', 'pending'])

    const blocking = await l.make(
      `${STAGES}\nask: { stage: build, ${S}, when: manual, allow_failure: false }`,
    )
    l.end(blocking, 'a')
    expect([l.states(blocking)['b'], l.status(blocking)]).toEqual(['created', 'manual'])
    playJob(l.ctx(), l.job(blocking, 'ask'), [{ key: 'WHO', value: 'me' }])
    expect([l.states(blocking)['ask'], l.status(blocking)]).toEqual(['pending', 'running'])
    expect(jobs.detailsOf(l.ctx().db, l.job(blocking, 'ask').id)!.own_variables).not.toContain('WHO')
    l.end(blocking, 'ask')
    expect(l.states(blocking)['b']).toBe('pending')
  })

  test('wait for the delay unless a user starts the delayed job', async () => {
    const p = await l.make(`late: { ${S}, when: delayed, start_in: 30 minutes }`)
    expect([l.states(p), l.status(p)]).toEqual([{ late: 'scheduled' }, 'scheduled'])
    const { scheduled_at, created_at } = l.job(p, 'late')
    expect(Date.parse(scheduled_at!) - Date.parse(created_at)).toBe(1_800_000)
    playJob(l.ctx(), l.job(p, 'late'))
    expect(l.job(p, 'late')).toMatchObject({ status: 'pending', scheduled_at: null })
  })
})

describe('jobs by needs', () => {
  test('start when their needs have ended, in any stage', async () => {
    const p = await l.make(`
stages: [build, test, deploy]
a: { stage: build, ${S} }
slow: { stage: build, ${S} }
b: { stage: test, ${S}, needs: [a] }
same: { stage: test, ${S}, needs: [b] }
free: { stage: deploy, ${S}, needs: [] }
gone: { stage: deploy, ${S}, needs: [{ job: nowhere, optional: true }] }
c: { stage: deploy, ${S} }`)
    expect(l.states(p)).toMatchObject({ free: 'pending', gone: 'pending', b: 'created', same: 'created' })
    l.end(p, 'a')
    expect(l.states(p)).toMatchObject({ b: 'pending', same: 'created', c: 'created' })
    l.end(p, 'b', 'failed')
    expect(l.states(p)).toMatchObject({ same: 'skipped', c: 'created' })
    l.end(p, 'slow')
    l.end(p, 'free')
    l.end(p, 'gone')
    expect([l.states(p)['c'], l.status(p)]).toEqual(['skipped', 'failed'])
  })

  test('wait for the newest retry, and are skipped if one of their needs is', async () => {
    const p = await l.make(`
a: { stage: build, ${S} }
ask: { stage: build, ${S}, when: manual }
b: { stage: test, ${S}, needs: [a] }
c: { stage: test, ${S}, needs: [ask] }
d: { stage: test, ${S}, needs: [c] }`)
    expect(l.states(p)).toMatchObject({ c: 'skipped', d: 'skipped' })
    l.end(p, 'a', 'failed')
    expect([l.states(p)['b'], l.status(p)]).toEqual(['skipped', 'failed'])
    const again = retryJob(l.ctx(), l.job(p, 'a'))
    expect(again.status).toBe('pending')
    expect([l.states(p)['b'], l.status(p)]).toEqual(['created', 'pending'])
    l.end(p, 'a')
    expect(l.states(p)['b']).toBe('pending')
    playJob(l.ctx(), l.job(p, 'ask'))
    expect(l.states(p)).toMatchObject({ ask: 'pending', c: 'created', d: 'created' })
    l.end(p, 'ask')
    l.end(p, 'c')
    expect(l.states(p)['d']).toBe('pending')
  })
})

describe('retrying', () => {
  test('replaces the old job by a new one', async () => {
    const p = await l.make(STAGES)
    const old = l.end(p, 'a', 'failed')
    const received = watchEvents(w, 'job.changed')
    const made = retryJob(l.ctx(), old)
    expect(made).toMatchObject({
      name: 'a',
      status: 'pending',
      retried: false,
      runner_id: null,
      token_digest: null,
    })
    expect(made.id).not.toBe(old.id)
    expect(jobs.byId(l.ctx().db, old.id)).toMatchObject({ retried: true, status: 'failed' })
    expect(jobs.detailsOf(l.ctx().db, made.id)!.options).toBe(jobs.detailsOf(l.ctx().db, old.id)!.options)
    expect(received.map(({ name, previous_status, status }) => [name, previous_status, status])).toEqual([
      ['a', null, 'created'],
      ['b', 'skipped', 'created'],
      ['c', 'skipped', 'created'],
      ['a', 'created', 'pending'],
    ])
    expect(retryJob(l.ctx(), old).id).toBe(old.id)
    expect(pipelines.byId(l.ctx().db, p)).toMatchObject({ status: 'pending', finished_at: null })
  })

  test('a pipeline retries its failed and canceled jobs', async () => {
    const p = await l.make(`${STAGES}\nz: { stage: build, ${S} }\nok: { stage: build, ${S} }`)
    l.end(p, 'ok')
    l.end(p, 'a', 'failed')
    cancelPipeline(l.ctx(), { id: p })
    expect([l.states(p), l.status(p)]).toEqual([
      { a: 'failed', b: 'canceled', c: 'canceled', ok: 'success', z: 'canceled' },
      'failed',
    ])
    retryPipeline(l.ctx(), { id: p })
    expect([l.states(p), l.status(p)]).toEqual([
      { a: 'pending', b: 'created', c: 'created', ok: 'success', z: 'pending' },
      'running',
    ])
  })

  test('happens automatically as often as the job configures', async () => {
    const p = await l.make(`
flaky: { ${S}, retry: { max: 2, when: script_failure } }
firm: { ${S}, retry: { max: 2, when: runner_system_failure } }`)
    l.end(p, 'flaky', 'failed')
    expect([l.job(p, 'flaky'), l.status(p)]).toMatchObject([
      { status: 'pending', auto_retries: 1 },
      'pending',
    ])
    l.end(p, 'flaky', 'failed')
    l.end(p, 'flaky', 'failed')
    expect(l.job(p, 'flaky')).toMatchObject({ status: 'failed', auto_retries: 2 })
    l.end(p, 'firm', 'failed')
    expect(l.job(p, 'firm')).toMatchObject({ status: 'failed', auto_retries: 0 })
    expect(l.status(p)).toBe('failed')
  })

  test('happens automatically twice after typical failures of the scheduler', async () => {
    const p = await l.make(`a: { ${S} }`)
    for (let at = 0; at < 3; at++) dropJob(l.ctx(), l.job(p, 'a'), 'scheduler_failure')
    expect(l.job(p, 'a')).toMatchObject({ status: 'failed', auto_retries: 2 })
  })
})

describe('canceling', () => {
  test('ends a job at once and cancels the later jobs', async () => {
    const p = await l.make(STAGES)
    const running = l.start(p, 'a')
    expect(cancelJob(l.ctx(), running)).toMatchObject({ status: 'canceled', finished_at: expect.any(String) })
    expect([l.states(p), l.status(p)]).toEqual([{ a: 'canceled', b: 'skipped', c: 'skipped' }, 'canceled'])
    expect(cancelJob(l.ctx(), running).status).toBe('canceled')
  })

  test('lets a capable runner end its job gracefully', async () => {
    const { db } = l.ctx()
    db.exec(`UPDATE runners SET features = '{"cancel_gracefully":true}' WHERE id = ?`, l.runner.id)
    const p = await l.make(STAGES)
    const running = l.start(p, 'a')
    expect(cancelJob(l.ctx(), running).status).toBe('canceling')
    expect([l.states(p)['b'], l.status(p)]).toEqual(['created', 'running'])
    expect(l.end(p, 'a', 'success').status).toBe('canceled')
    expect(l.status(p)).toBe('canceled')
    const q = await l.make(STAGES)
    cancelJob(l.ctx(), l.start(q, 'a'))
    expect(cancelJob(l.ctx(), l.job(q, 'a')).status).toBe('canceled')
    db.exec("UPDATE runners SET features = '{}' WHERE id = ?", l.runner.id)
  })

  test('one failure cancels the rest if the configuration requires it', async () => {
    const p = await l.make(`
workflow: { auto_cancel: { on_job_failure: all } }
a: { ${S} }
b: { ${S} }
soft: { ${S}, allow_failure: true }`)
    l.end(p, 'soft', 'failed')
    expect(l.states(p)['b']).toBe('pending')
    l.end(p, 'a', 'failed')
    expect([l.states(p)['b'], l.status(p)]).toEqual(['canceled', 'failed'])
  })
})

describe('new commits', () => {
  const config = (more: string, auto = '') => `${auto}
a: { stage: build, ${S}, interruptible: true }
b: { stage: test, ${S}, ${more} }`

  test('cancel older pipelines of the ref unless a job that is not interruptible has started', async () => {
    const soft = await l.make(config('interruptible: false'))
    const firm = await l.make(config('interruptible: false'))
    l.end(firm, 'a')
    l.start(firm, 'b')
    l.commit()
    const next = await l.make(config('interruptible: true'))
    expect([l.status(soft), l.status(firm), l.status(next)]).toEqual(['canceled', 'running', 'pending'])
    await l.make(config('interruptible: true'))
    expect(l.status(next)).toBe('pending')
  })

  test('cancel pipelines as configured', async () => {
    const none = await l.make(config('needs: []', 'workflow: { auto_cancel: { on_new_commit: none } }'))
    const some = await l.make(
      config('needs: []', 'workflow: { auto_cancel: { on_new_commit: interruptible } }'),
    )
    l.start(some, 'b')
    l.commit()
    await l.make(config('needs: []'))
    expect(l.status(none)).toBe('pending')
    expect([l.states(some), l.status(some)]).toEqual([{ a: 'canceled', b: 'running' }, 'running'])
  })
})

describe('resource groups', () => {
  const config = `d: { ${S}, resource_group: production }`

  test('let one job run at a time, across pipelines', async () => {
    const [p, q] = [await l.make(config), await l.make(config)]
    expect([l.status(p), l.status(q)]).toEqual(['pending', 'waiting_for_resource'])
    expect(l.job(p, 'd').holds_resource).toBe(true)
    l.end(p, 'd', 'failed')
    expect([l.job(p, 'd').holds_resource, l.job(q, 'd').holds_resource]).toEqual([false, true])
    expect(l.status(q)).toBe('pending')
    cancelPipeline(l.ctx(), { id: q })
    expect(l.job(q, 'd')).toMatchObject({ status: 'canceled', holds_resource: false })
  })

  test.each([
    ['oldest_first', 0],
    ['newest_first', 2],
    ['unordered', 0],
  ])('%s', async (mode, first) => {
    const key = config.replace('production', mode)
    const holder = await l.make(key)
    const { db } = l.ctx()
    db.exec('UPDATE ci_resource_groups SET process_mode = ? WHERE key = ?', mode, mode)
    const waiting = [await l.make(key), await l.make(key), await l.make(key)]
    l.end(holder, 'd')
    expect(waiting.map((p) => l.status(p) === 'pending')).toEqual([0, 1, 2].map((at) => at === first))
    for (const p of waiting) cancelPipeline(l.ctx(), { id: p })
  })

  test('in order let an unready earlier job block later ones', async () => {
    const late = `a: { stage: build, ${S} }\nd: { stage: test, ${S}, resource_group: ordered }`
    const p = await l.make(late)
    const { db } = l.ctx()
    db.exec("UPDATE ci_resource_groups SET process_mode = 'oldest_first' WHERE key = 'ordered'")
    const q = await l.make(`d: { ${S}, resource_group: ordered }`)
    expect(l.status(q)).toBe('waiting_for_resource')
    l.end(p, 'a', 'failed')
    expect([l.states(p)['d'], l.status(q)]).toEqual(['skipped', 'pending'])
  })
})

test('only one of two runners gets a job', async () => {
  const p = await l.make(STAGES)
  const { id } = l.start(p, 'a')
  const taking = { runner_id: l.runner.id, runner_system_id: null, token_digest: 'other', timeout: 60 }
  expect(startJob(l.ctx(), id, taking)).toBeUndefined()
  expect(l.job(p, 'a').token_digest).toBe(`t-${id}`)
  l.end(p, 'a')
  expect(l.end(p, 'a', 'failed').status).toBe('success')
})

test('repeated processing changes nothing', async () => {
  const p = await l.make(STAGES)
  const received = [watchEvents(w, 'job.changed'), watchEvents(w, 'pipeline.changed')]
  processPipeline(l.ctx(), p)
  processPipeline(l.ctx(), 999_999)
  expect(received).toEqual([[], []])
})
