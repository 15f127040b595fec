import { expect, test } from 'vitest'

import * as jobs from '../../../server/domains/ci/jobs/store.ts'
import * as pipelines from '../../../server/domains/ci/pipelines/store.ts'
import {
  awakeSince,
  sweepDelayed,
  sweepPending,
  sweepResources,
  sweepRunning,
} from '../../../server/domains/ci/processing/sweep.ts'
import { cancelJob } from '../../../server/domains/ci/processing/run.ts'
import { retryJob } from '../../../server/domains/ci/processing/rerun.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { appendTrace } from '../../../server/domains/ci/traces/service.ts'
import { world } from '../../support/world.ts'
import { pipelinesWithoutGit } from './processing.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const clock = frozenClock('2026-03-01T12:00:00.000Z')
const w = await world({ clock })
const l = await pipelinesWithoutGit(w, { auto_cancel_pending_pipelines: 'disabled' })
const S = 'script: [x]'

/** Advances the clock while the instance runs. */
function pass(ms: number): void {
  for (let left = ms; left > 0; left -= 4 * MINUTE) {
    awakeSince(l.ctx())
    clock.advance(Math.min(left, 4 * MINUTE))
  }
}

/** Stores the current time as the last contact of every runner. */
const contactFromRunner = () => l.ctx().db.exec('UPDATE runners SET contacted_at = ?', l.ctx().now)

test('a delayed job starts at its time, or not at all long after it', async () => {
  const config = `late: { ${S}, when: delayed, start_in: 30 minutes }`
  const p = await l.make(config)
  clock.advance(29 * MINUTE)
  await w.drain()
  expect(l.status(p)).toBe('scheduled')
  clock.advance(MINUTE)
  await w.drain()
  expect([l.states(p), l.status(p)]).toEqual([{ late: 'pending' }, 'pending'])

  const q = await l.make(config)
  clock.advance(30 * MINUTE + HOUR + 1)
  sweepDelayed(l.ctx())
  expect(l.job(q, 'late')).toMatchObject({ status: 'failed', failure_reason: 'stale_schedule' })
  expect(l.status(q)).toBe('failed')
})

test('pipelines have the times of their start and end, and the duration without gaps', async () => {
  const p = await l.make(`a: { stage: build, ${S} }\nb: { stage: test, ${S} }\nc: { stage: test, ${S} }`)
  clock.advance(10_000)
  l.start(p, 'a')
  clock.advance(30_000)
  l.end(p, 'a')
  clock.advance(60_000)
  l.start(p, 'b')
  clock.advance(5000)
  l.start(p, 'c')
  clock.advance(5000)
  l.end(p, 'b')
  clock.advance(5000)
  l.end(p, 'c', 'failed')
  const row = pipelines.byId(l.ctx().db, p)!
  const made = Date.parse(row.created_at)
  expect([Date.parse(row.started_at!) - made, Date.parse(row.finished_at!) - made, row.duration]).toEqual([
    10_000, 115_000, 45,
  ])
  const { queued_at, started_at, finished_at } = l.job(p, 'b')
  expect([queued_at, started_at, finished_at].map((time) => Date.parse(time!) - made)).toEqual([
    40_000, 100_000, 110_000,
  ])
})

test('jobs without a runner fail after a day, and after an hour if no runner is online', async () => {
  const p = await l.make(`a: { ${S} }\nodd: { ${S}, tags: [nobody] }`)
  pass(59 * MINUTE)
  contactFromRunner()
  sweepPending(l.ctx())
  expect(l.states(p)).toEqual({ a: 'pending', odd: 'pending' })
  pass(2 * MINUTE)
  sweepPending(l.ctx())
  expect(l.states(p)).toEqual({ a: 'pending', odd: 'failed' })
  expect(l.job(p, 'odd').failure_reason).toBe('stuck_or_timeout_failure')
  pass(23 * HOUR)
  contactFromRunner()
  sweepPending(l.ctx())
  expect(l.states(p)['a']).toBe('failed')
})

test('running jobs fail when their runner sends nothing for an hour or the job exceeds its timeout', async () => {
  const p = await l.make(`silent: { ${S} }\nlong: { ${S} }\nwell: { ${S} }`)
  for (const name of ['silent', 'long', 'well']) l.start(p, name)
  const beat = (name: string) =>
    l.ctx().db.exec('UPDATE ci_jobs SET heartbeat_at = ? WHERE id = ?', l.ctx().now, l.job(p, name).id)
  l.ctx().db.exec('UPDATE ci_jobs SET timeout = 36000 WHERE id = ?', l.job(p, 'well').id)
  pass(59 * MINUTE)
  beat('long')
  beat('well')
  sweepRunning(l.ctx())
  expect(l.states(p)).toEqual({ silent: 'running', long: 'running', well: 'running' })
  pass(2 * MINUTE)
  sweepRunning(l.ctx())
  pass(15 * MINUTE)
  sweepRunning(l.ctx())
  expect(l.states(p)).toEqual({ silent: 'failed', long: 'failed', well: 'running' })
  expect([l.job(p, 'silent').failure_reason, l.job(p, 'long').failure_reason]).toEqual([
    'stuck_or_timeout_failure',
    'job_execution_timeout',
  ])
  l.ctx().db.exec(`UPDATE runners SET features = '{"cancel_gracefully":true}'`)
  beat('well')
  cancelJob(l.ctx(), l.job(p, 'well'))
  pass(9 * MINUTE)
  sweepRunning(l.ctx())
  expect(l.states(p)['well']).toBe('canceling')
  pass(2 * MINUTE)
  sweepRunning(l.ctx())
  expect(l.states(p)['well']).toBe('canceled')
})

test('after the machine slept, runners get time to reconnect', async () => {
  const p = await l.make(`a: { ${S} }\nb: { ${S} }`)
  l.start(p, 'a')
  clock.advance(30 * HOUR)
  const sweep = () => {
    sweepRunning(l.ctx())
    sweepPending(l.ctx())
  }
  sweep()
  pass(14 * MINUTE)
  sweep()
  expect(l.states(p)).toEqual({ a: 'running', b: 'pending' })
  pass(HOUR)
  sweep()
  expect(l.states(p)).toEqual({ a: 'failed', b: 'failed' })
})

test('the resource of a deleted job goes to the next job', async () => {
  const config = `d: { ${S}, resource_group: shelf }`
  const [p, q] = [await l.make(config), await l.make(config)]
  pipelines.remove(l.ctx().db, p)
  expect(l.status(q)).toBe('waiting_for_resource')
  sweepResources(l.ctx())
  expect(l.status(q)).toBe('pending')
  const r = await l.make(config)
  l.ctx().db.exec("DELETE FROM ci_resource_groups WHERE key = 'shelf'")
  sweepResources(l.ctx())
  expect(l.status(r)).toBe('pending')
})

test('jobs of a blocked user fail', async () => {
  const p = await l.make(`a: { ${S}, retry: 2 }\nb: { stage: deploy, ${S} }`)
  const user = w.make.user()
  l.ctx().db.exec('UPDATE ci_pipelines SET user_id = ? WHERE id = ?', user.id, p)
  expect((await w.as(w.root).post(`/users/${user.id}/block`)).status).toBe(201)
  await w.drain()
  expect([l.states(p), l.status(p)]).toEqual([{ a: 'failed', b: 'failed' }, 'failed'])
  expect(l.job(p, 'a').failure_reason).toBe('user_blocked')
})

test.each([
  [
    String.raw`/Total: (\d+\.\d+)%/`,
    'Total: 10.00%\nTotal: 81.25%\n\u001B[32;1mJob succeeded\u001B[0;m\n',
    81.25,
  ],
  [String.raw`/\d+%/`, 'done 3% and 42% of it\n', 42],
  [String.raw`/lines:\s*\d+/`, 'lines:   97\n', 97],
  [String.raw`/nothing/`, 'lines: 97\n', null],
  // Searches for `b` again from each character, which is slow.
  [String.raw`/1*b|(\d)/`, `${'1'.repeat(4000)}\n`, 1],
])('coverage is read from the log by %s', async (pattern, log, coverage) => {
  const p = await l.make(`a: { ${S}, coverage: '${pattern}' }`)
  const job = l.start(p, 'a')
  appendTrace(l.ctx(), job, 0, Buffer.from(log))
  l.end(p, 'a')
  await w.drain()
  expect(jobs.byId(l.ctx().db, job.id)!.coverage).toBe(coverage)
})

test('an older deployment fails after a newer one', async () => {
  const config = `
prepare: { stage: build, ${S} }
ship: { stage: deploy, ${S}, environment: production }`
  const [older, newer] = [await l.make(config), await l.make(config)]
  l.end(newer, 'prepare')
  l.end(newer, 'ship')
  await w.drain()
  l.end(older, 'prepare')
  expect(l.job(older, 'ship')).toMatchObject({
    status: 'failed',
    failure_reason: 'forward_deployment_failure',
  })
  expect(l.status(older)).toBe('failed')
})

test('a retried job with an environment has a new deployment', async () => {
  const p = await l.make(`ship: { ${S}, environment: staging }`)
  const old = l.end(p, 'ship', 'failed')
  const made = retryJob(l.ctx(), old)
  const found = l
    .ctx()
    .db.many<{ job_id: number }>(
      'SELECT job_id FROM deployments WHERE job_id IN (?, ?) ORDER BY id',
      old.id,
      made.id,
    )
  expect(found.map(({ job_id }) => job_id)).toEqual([old.id, made.id])
  expect(l.job(p, 'ship')).toMatchObject({ environment: 'staging', environment_action: 'start' })
})
