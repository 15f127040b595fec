import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { beforeAll, describe, expect, it } from 'vitest'

import { cancelJob } from '../../../server/domains/ci/processing/run.ts'
import { removeDeletedFiles } from '../../../server/domains/ci/artifacts/disk.ts'
import {
  appendTrace,
  eraseTrace,
  MAX_TRACE,
  endOfTrace,
  readTrace,
  traceInterval,
} from '../../../server/domains/ci/traces/service.ts'
import { archiveRemaining, archiveTrace } from '../../../server/domains/ci/traces/archive.ts'
import { world, type World } from '../../support/world.ts'
import { watchEvents } from '../repository/fill.ts'
import type { PipelinesWithoutGit } from './processing.ts'
import { runnerClient, pipelinesForRunners, type RunnerClient } from './runner.ts'

let w: World
let l: PipelinesWithoutGit
let runner: RunnerClient
let pipeline: number

beforeAll(async () => {
  w = await world()
  l = await pipelinesForRunners(w)
  runner = runnerClient(w)
})

async function started(config = 'build: {script: [make]}') {
  pipeline = await l.make(config)
  return (await runner.take()) as { id: number; token: string }
}

const row = () => l.job(pipeline, 'build')
const pieces = (id: number) =>
  w.ctx().db.one<{ n: number }>('SELECT count(*) AS n FROM ci_trace_pieces WHERE job_id = ?', id)!.n
const files = () => {
  const folder = join(w.dataDir, 'artifacts', String(l.project.id))
  return readdirSync(w.dataDir).includes('artifacts') ? readdirSync(folder) : []
}

async function logOf(range?: { start?: number; end?: number }): Promise<string> {
  const { body } = await readTrace(w.ctx(), row(), range)
  return Buffer.isBuffer(body) ? body.toString() : text(body)
}

describe('a log that a runner writes', () => {
  it('grows with each part, and the response has its size', async () => {
    const job = await started()
    const received = watchEvents(w, 'job.trace_changed')
    const first = await runner.trace(job, 0, 'hello ')
    expect([first.status, first.text]).toEqual([202, ''])
    expect(first.headers.get('range')).toBe('0-6')
    expect(first.headers.get('job-status')).toBe('running')
    expect(Number(first.headers.get('x-gitlab-trace-update-interval'))).toBeGreaterThan(0)
    expect((await runner.trace(job, 6, 'wörld', '?debug_trace=false')).headers.get('range')).toBe('0-12')
    expect(await logOf()).toBe('hello wörld')
    expect(row()).toMatchObject({ trace_size: 12, debug_trace: false })
    const { project_id, pipeline_id } = row()
    expect(received).toEqual([6, 12].map((size) => ({ project_id, pipeline_id, job_id: job.id, size })))
  })

  it('contains no part twice and has no gaps', async () => {
    const job = await started()
    await runner.trace(job, 0, 'abc')
    for (const start of [0, 2, 4]) {
      const answer = await runner.trace(job, start, 'xyz')
      expect([answer.status, answer.headers.get('range')]).toEqual([416, '0-3'])
    }
    expect(await logOf()).toBe('abc')
  })

  it('requires the position of each part', async () => {
    const job = await started()
    const send = (range: Record<string, string>) =>
      w.as(null).patch(`/jobs/${job.id}/trace`, 'x', { 'JOB-TOKEN': job.token, ...range })
    expect(await send({})).toMatchObject({
      status: 400,
      body: { message: '400 Missing header Content-Range' },
    })
    expect(await send({ 'Content-Range': 'bytes 0-1/2' })).toMatchObject({ status: 400 })
    expect(await send({ 'Content-Range': '0-0', 'Content-Type': 'application/json' })).toMatchObject({
      status: 202,
    })
  })

  it('does not contain the job token', async () => {
    const job = await started()
    await runner.trace(job, 0, `a ${job.token} b ${job.token}`)
    const stars = '*'.repeat(job.token.length)
    expect(await logOf()).toBe(`a ${stars} b ${stars}`)
  })

  it('is marked as debug trace if it may contain secrets', async () => {
    const job = await started()
    await runner.trace(job, 0, 'x', '?debug_trace=true')
    expect(row().debug_trace).toBe(true)
  })

  it('is requested more often while a user reads it', async () => {
    const job = await started()
    const interval = async (start: number) =>
      Number((await runner.trace(job, start, 'x')).headers.get('x-gitlab-trace-update-interval'))
    expect(await interval(0)).toBe(6)
    await w.as(w.root).get(`/projects/${l.project.id}/jobs/${job.id}/trace`)
    expect(await interval(1)).toBe(3)
    const later = { ...w.ctx(), now: new Date(Date.now() + 11_000).toISOString() }
    expect(traceInterval(later, job.id)).toBe(6)
  })

  it('fails its job once it is too large', async () => {
    const job = await started()
    w.ctx().db.exec('UPDATE ci_jobs SET trace_size = ? WHERE id = ?', MAX_TRACE - 1, job.id)
    expect(appendTrace(w.ctx(), row(), MAX_TRACE - 1, Buffer.alloc(0)).outcome).toBe('stored')
    const answer = await runner.trace(job, MAX_TRACE - 1, 'xx')
    expect([answer.status, answer.headers.get('job-status')]).toEqual([403, 'failed'])
    expect(row().failure_reason).toBe('trace_size_exceeded')
  })

  it('accepts parts of a few megabytes at most', async () => {
    const job = await started()
    const large = 'x'.repeat(8 * 1024 * 1024)
    expect(await runner.trace(job, 0, `${large}x`)).toMatchObject({ status: 413 })
    expect((await runner.trace(job, 0, large)).headers.get('range')).toBe(`0-${large.length}`)
    expect(await logOf({ start: large.length - 2, end: large.length })).toBe('xx')
  })
})

describe('writing a log', () => {
  it('is limited to the runner of the job, while it runs', async () => {
    const job = await started()
    const forbidden = { status: 403, body: { message: '403 Forbidden' } }
    expect(await runner.trace({ ...job, token: 'x' }, 0, 'x')).toMatchObject(forbidden)
    expect(await runner.trace({ ...job, token: '' }, 0, 'x')).toMatchObject(forbidden)
    expect(await runner.trace({ ...job, id: 999_999 }, 0, 'x')).toMatchObject(forbidden)
    const other = await started()
    expect(await runner.trace({ ...job, token: other.token }, 0, 'x')).toMatchObject(forbidden)
    w.ctx().db.exec('UPDATE ci_jobs SET erased_at = ? WHERE id = ?', w.ctx().now, other.id)
    expect((await runner.trace(other, 0, 'x')).body).toEqual({
      message: '403 Forbidden - Job has been erased!',
    })
  })

  it('returns that the job was canceled', async () => {
    const job = await started()
    cancelJob(l.ctx(), row())
    const answer = await runner.trace(job, 0, 'x')
    expect(answer).toMatchObject({ status: 403, body: { message: '403 Forbidden - Job is not running' } })
    expect(answer.headers.get('job-status')).toBe('canceled')
  })

  it('continues while a canceled job ends gracefully', async () => {
    const job = await started()
    w.ctx().db.exec("UPDATE ci_jobs SET status = 'canceling' WHERE id = ?", job.id)
    const answer = await runner.trace(job, 0, 'x')
    expect([answer.status, answer.headers.get('job-status')]).toEqual([202, 'canceling'])
    await runner.update(job, 'failed')
    expect(row().status).toBe('canceled')
  })
})

describe('the log of a finished job', () => {
  it('is archived as one file with the same content', async () => {
    const job = await started()
    // The log of the previous test may still be queued for archiving.
    await w.drain()
    await runner.trace(job, 0, 'one ')
    await runner.trace(job, 4, 'two ')
    expect(endOfTrace(w.ctx(), job.id, 6).toString()).toBe('e two ')
    await runner.update(job, 'success')
    const before = files().length
    await w.drain()
    expect([pieces(job.id), files().length - before]).toEqual([0, 1])
    expect(await logOf()).toBe('one two ')
    expect(await logOf({ start: 4, end: 7 })).toBe('two')
    expect(await logOf({ start: 100 })).toBe('')
    expect(endOfTrace(w.ctx(), job.id, 6).toString()).toBe('')
    const shown = await w.as(w.root).get(`/projects/${l.project.id}/jobs/${job.id}`)
    expect(shown.body.artifacts).toEqual([
      { file_type: 'trace', size: 8, filename: 'job.log', file_format: null },
    ])
    // A second run changes nothing.
    await archiveTrace(w.ctx(), job.id)
    expect(files().length - before).toBe(1)
  })

  it('is read from the file if its chunks are deleted during the download', async () => {
    const job = await started()
    const part = 'x'.repeat(700_000)
    for (const start of [0, 700_000, 1_400_000]) await runner.trace(job, start, part)
    const { body, length } = await readTrace(w.ctx(), row())
    expect(length).toBe(2_100_000)
    const stream = body as NodeJS.ReadableStream
    const reader = stream[Symbol.asyncIterator]()
    const first = (await reader.next()).value as Buffer
    await runner.update(job, 'success')
    await w.drain()
    expect(pieces(job.id)).toBe(0)
    let read = first.length
    for (let next = await reader.next(); !next.done; next = await reader.next())
      read += (next.value as Buffer).length
    expect(read).toBe(2_100_000)
  })

  it('is deleted with its file when the job is erased', async () => {
    const job = await started()
    await runner.trace(job, 0, 'secret')
    await runner.update(job, 'failed')
    await w.drain()
    const before = files().length
    const received = watchEvents(w, 'job.trace_changed')
    eraseTrace(l.ctx(), row())
    await removeDeletedFiles(w.ctx())
    expect(files().length).toBe(before - 1)
    expect(await logOf()).toBe('')
    expect(row().trace_size).toBe(0)
    expect(received).toMatchObject([{ job_id: job.id, size: 0 }])
  })

  it('can be erased before it is archived', async () => {
    const job = await started()
    await runner.trace(job, 0, 'secret')
    eraseTrace(l.ctx(), row())
    expect([pieces(job.id), await logOf()]).toEqual([0, ''])
  })

  it('is archived later if the first attempt was interrupted', async () => {
    const job = await started()
    await runner.trace(job, 0, 'left')
    w.ctx().db.exec("UPDATE ci_jobs SET status = 'success' WHERE id = ?", job.id)
    await archiveRemaining(w.ctx())
    expect(pieces(job.id)).toBe(1)
    await archiveRemaining({ ...w.ctx(), now: new Date(Date.now() + 2 * 86_400_000).toISOString() })
    expect([pieces(job.id), await logOf()]).toEqual([0, 'left'])
  })
})
