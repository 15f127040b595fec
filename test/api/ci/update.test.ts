import { beforeAll, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { cancelJob } from '../../../server/domains/ci/processing/run.ts'
import { world, type World } from '../../support/world.ts'
import type { PipelinesWithoutGit } from './processing.ts'
import { FEATURES, runnerClient, pipelinesForRunners, type RunnerClient } from './runner.ts'

const clock = frozenClock('2026-06-01T08:00:00.000Z')
let w: World
let l: PipelinesWithoutGit
let runner: RunnerClient
let pipeline: number

beforeAll(async () => {
  w = await world({ clock })
  l = await pipelinesForRunners(w)
  runner = runnerClient(w)
})

async function started(config = 'build: {script: [make]}') {
  pipeline = await l.make(config)
  return (await runner.take()) as { id: number; token: string }
}

const row = () => l.job(pipeline, 'build')

describe('a job update of a runner', () => {
  it('reports that it is running', async () => {
    const job = await started()
    w.ctx().db.exec("UPDATE ci_jobs SET heartbeat_at = '2026-01-01T00:00:00.000Z' WHERE id = ?", job.id)
    const answer = await runner.update(job, 'running')
    expect([answer.status, answer.text, answer.headers.get('job-status')]).toEqual([200, '200', 'running'])
    expect(row()).toMatchObject({ status: 'running', heartbeat_at: expect.stringMatching(/^20(?!26-01-01)/) })
  })

  it('reports success or failure', async () => {
    const job = await started()
    const output = { checksum: 'crc32:00000000', bytesize: 0 }
    const answer = await runner.update(job, 'success', { output, checksum: output.checksum })
    expect([answer.status, answer.text, answer.headers.get('job-status')]).toEqual([200, '200', null])
    expect(row()).toMatchObject({ status: 'success', trace_checksum: output.checksum })
    expect(l.status(pipeline)).toBe('success')
  })

  it('reports the failure reason, which is stored if it is known', async () => {
    for (const [reason, stored] of [
      ['script_failure', 'script_failure'],
      ['runner_system_failure', 'runner_system_failure'],
      ['job_execution_timeout', 'job_execution_timeout'],
      ['out_of_coffee', 'unknown_failure'],
      [undefined, 'script_failure'],
    ]) {
      const job = await started()
      await runner.update(job, 'failed', { failure_reason: reason, exit_code: 3 })
      expect(row()).toMatchObject({ status: 'failed', failure_reason: stored, exit_code: 3 })
    }
  })

  it('lets exit codes decide whether a failure is allowed', async () => {
    const job = await started('build: {script: [make], allow_failure: {exit_codes: [3]}}')
    await runner.update(job, 'failed', { failure_reason: 'script_failure', exit_code: 3 })
    expect(row()).toMatchObject({ status: 'failed', allow_failure: true })
    expect(l.status(pipeline)).toBe('success')
  })

  it('is refused for other states', async () => {
    const job = await started()
    for (const state of ['pending', 'odd', ''])
      expect(await runner.update(job, state)).toMatchObject({
        status: 400,
        body: { message: '400 Bad request' },
      })
    expect(await w.as(null).put(`/jobs/${job.id}`, { token: job.token })).toMatchObject({ status: 400 })
    expect(row().status).toBe('running')
  })

  it('shows that the runner is online', async () => {
    const busy = runnerClient(w)
    pipeline = await l.make('build: {script: [make]}')
    const job = await busy.take()
    clock.advance(3 * 3_600_000)
    const online = async () => (await w.as(w.root).get(`/runners/${busy.id}`)).body.online
    expect(await online()).toBe(false)
    await runner.update(job, 'running')
    expect(await online()).toBe(true)
    clock.advance(3 * 3_600_000)
    await runner.trace(job, 0, 'x')
    expect(await online()).toBe(true)
  })

  it('also accepts the token in the header', async () => {
    const job = await started()
    const answer = await w.as(null).put(`/jobs/${job.id}`, { state: 'running' }, { 'JOB-TOKEN': job.token })
    expect(answer.status).toBe(200)
  })
})

describe('the job token', () => {
  it('is valid while the job runs', async () => {
    const job = await started()
    const forbidden = { status: 403, body: { message: '403 Forbidden' } }
    expect(await runner.update({ ...job, token: 'x' }, 'success')).toMatchObject(forbidden)
    expect(await runner.update({ ...job, id: 999_999 }, 'success')).toMatchObject(forbidden)
    await runner.update(job, 'success')
    const again = await runner.update(job, 'failed')
    expect(again).toMatchObject({ status: 403, body: { message: '403 Forbidden - Job is not running' } })
    expect(again.headers.get('job-status')).toBe('success')
    expect(row().status).toBe('success')
  })

  it('gets the canceled status in the response', async () => {
    const job = await started()
    cancelJob(l.ctx(), row())
    const answer = await runner.update(job, 'running')
    expect([answer.status, answer.headers.get('job-status')]).toEqual([403, 'canceled'])
  })

  it('remains valid while a canceled job ends gracefully', async () => {
    pipeline = await l.make('build: {script: [make]}')
    const features = { ...FEATURES, cancel_gracefully: true }
    const { body: job } = await runnerClient(w).ask({ info: { name: 'gitlab-runner', features } })
    cancelJob(l.ctx(), row())
    const answer = await runner.update(job, 'running')
    expect([answer.status, answer.headers.get('job-status')]).toEqual([200, 'canceling'])
    expect(await runner.update(job, 'success')).toMatchObject({ status: 200 })
    expect(row().status).toBe('canceled')
  })
})
