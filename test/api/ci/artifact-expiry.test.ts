import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { removeDeletedFiles, removeOrphans } from '../../../server/domains/ci/artifacts/disk.ts'
import { expire } from '../../../server/domains/ci/artifacts/expiry.ts'
import { eraseJob } from '../../../server/domains/ci/artifacts/service.ts'
import { byId } from '../../../server/domains/ci/jobs/store.ts'
import { appendTrace } from '../../../server/domains/ci/traces/service.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'
import { fill, watchEvents } from '../repository/fill.ts'
import { pipelinesOf, upload, zipOf, type MadeJob } from './artifact-world.ts'

const clock = frozenClock('2026-01-15T12:00:00.000Z')
const here = await world({ clock })
const developer = here.make.user()
const reporter = here.make.user()
const project = await here.make.project({ visibility: 'private' })
await here.make.member('projects', project.id, developer, 30)
await here.make.member('projects', project.id, reporter, 20)
const { pipeline, job, set } = pipelinesOf(here, project, developer)
const as = here.as(developer)
const jobs = `/projects/${project.id}/jobs`
const folder = join(here.dataDir, 'artifacts', String(project.id))
const onDisk = () => (existsSync(folder) ? readdirSync(folder) : [])
const hours = (count: number) => clock.advance(count * 3_600_000)
const archive = await zipOf({ 'a.txt': 'a' })

/** Creates a job with an archive that expires, in a finished pipeline. */
async function leave(columns: object = {}, expire_in = '1 hour'): Promise<MadeJob> {
  const ciJob = job(pipeline({ status: 'success', ...columns }))
  expect((await upload(here, ciJob, archive, { expire_in })).status).toBe(201)
  set(ciJob.id, { status: 'success' })
  return ciJob
}

const statusOf = async (job: MadeJob) => (await as.get(`${jobs}/${job.id}/artifacts`)).status
const isThere = (job: MadeJob) =>
  here.ctx().db.one('SELECT 1 FROM ci_artifacts WHERE job_id = ?', job.id) !== undefined
const statistic = async () => {
  const { body } = await here.as(here.root).get(`/projects/${project.id}?statistics=true`)
  return body.statistics.job_artifacts_size
}

describe('job artifacts', () => {
  it('are deleted when they expire, also from disk', async () => {
    const ciJob = await leave({ status: 'failed' })
    const received = watchEvents(here, 'job.artifacts_changed')
    expect([await statusOf(ciJob), await statistic(), onDisk().length]).toEqual([200, archive.length, 1])
    hours(0.9)
    await expire(here.ctx())
    expect(await statusOf(ciJob)).toBe(200)
    hours(0.2)
    // Expired files are unavailable at once, before the cron job runs.
    expect(await statusOf(ciJob)).toBe(404)
    expect(isThere(ciJob)).toBe(true)
    await expire(here.ctx())
    await here.drain()
    expect([isThere(ciJob), await statistic(), onDisk()]).toEqual([false, 0, []])
    expect(received).toEqual([{ project_id: project.id, job_id: ciJob.id, actor_id: null }])
    const { body } = await as.get(`${jobs}/${ciJob.id}`)
    expect(body.artifacts_expire_at).toBe('2026-01-15T13:00:00.000Z')
    expect([body.artifacts, body.artifacts_file]).toEqual([[], undefined])
    await expire(here.ctx())
    expect(received).toHaveLength(1)
  })

  it('of the last successful pipeline of a branch are kept', async () => {
    const older = await leave({ ref: 'kept' })
    const last = await leave({ ref: 'kept' })
    const child = await leave({
      ref: 'kept',
      source: 'parent_pipeline',
      upstream_pipeline_id: last.pipeline_id,
    })
    const failed = await leave({ ref: 'kept', status: 'failed' })
    const tag = await leave({ ref: 'kept', tag: true })
    hours(2)
    await expire(here.ctx())
    expect([older, last, child, failed, tag].map(isThere)).toEqual([false, true, true, false, true])
    expect(await statusOf(last)).toBe(200)
    const next = await leave({ ref: 'kept' }, 'never')
    expect(await statusOf(last)).toBe(404)
    await expire(here.ctx())
    expect([last, child, tag, next].map(isThere)).toEqual([false, false, true, true])
    await here.as(here.root).put(`/projects/${project.id}`, { keep_latest_artifact: false })
    await expire(here.ctx())
    expect([tag, next].map(isThere)).toEqual([false, true])
    await here.as(here.root).put(`/projects/${project.id}`, { keep_latest_artifact: true })
  })

  it('are not kept if the setting is off', async () => {
    const ciJob = await leave({ ref: 'instance' })
    hours(2)
    await here.as(here.root).put('/application/settings', { keep_latest_artifact: false })
    await expire(here.ctx())
    expect(isThere(ciJob)).toBe(false)
    await here.as(here.root).put('/application/settings', { keep_latest_artifact: true })
  })

  it('are not kept for a deleted branch', async () => {
    fill(here, project, [{ files: { a: 'a' } }, { branch: 'topic', files: { b: 'b' } }])
    const ciJob = await leave({ ref: 'topic' })
    hours(2)
    await expire(here.ctx())
    expect(isThere(ciJob)).toBe(true)
    const deleted = await here.as(here.root).delete(`/projects/${project.id}/repository/branches/topic`)
    expect(deleted.status).toBe(204)
    await here.drain()
    await expire(here.ctx())
    expect(isThere(ciJob)).toBe(false)
  })

  it('remain after a user keeps them', async () => {
    const ciJob = await leave({ status: 'failed' })
    const at = `${jobs}/${ciJob.id}/artifacts/keep`
    expect((await here.as(reporter).post(at)).status).toBe(403)
    const { status, body } = await as.post(at)
    expect([status, body.id, body.artifacts_expire_at]).toEqual([200, ciJob.id, null])
    expect(body.artifacts_file).toMatchObject({ filename: 'artifacts.zip' })
    hours(10_000)
    await expire(here.ctx())
    expect(await statusOf(ciJob)).toBe(200)
    const empty = job(pipeline())
    expect((await as.post(`${jobs}/${empty.id}/artifacts/keep`)).body).toEqual({ message: '404 Not Found' })
  })

  it('of all jobs of a project can be deleted together, except the latest ones', async () => {
    const old = await leave({ ref: 'all', status: 'failed' }, 'never')
    const last = await leave({ ref: 'all' }, 'never')
    const at = `/projects/${project.id}/artifacts`
    expect((await as.delete(at)).status).toBe(403)
    const { status, body } = await here.as(here.root).delete(at)
    expect([status, body]).toEqual([202, { message: '202 Accepted' }])
    await here.drain()
    expect([old, last].map(isThere)).toEqual([false, true])
  })

  it('are deleted with the log when their job is erased', async () => {
    const ciJob = await leave()
    const row = byId(here.ctx().db, ciJob.id)!
    appendTrace(here.ctx(), row, 0, Buffer.from('log'))
    const erased = eraseJob(here.ctx(), row)
    expect(erased).toMatchObject({ erased_at: here.ctx().now, trace_size: 0, artifacts_expire_at: null })
    expect(isThere(ciJob)).toBe(false)
    expect((await upload(here, ciJob, archive)).body).toEqual({
      message: '403 Forbidden - Job has been erased!',
    })
  })

  it('are deleted with their pipeline and with their project', async () => {
    const ciJob = await leave()
    const [stored] = here
      .ctx()
      .db.many<{ stored_as: string }>('SELECT stored_as FROM ci_artifacts WHERE job_id = ?', ciJob.id)
    const before = await statistic()
    here.ctx().db.exec('DELETE FROM ci_pipelines WHERE id = ?', ciJob.pipeline_id)
    expect(await statistic()).toBe(before - archive.length)
    expect(onDisk()).toContain(stored!.stored_as)
    await removeDeletedFiles(here.ctx())
    expect(onDisk()).not.toContain(stored!.stored_as)
    const other = await here.make.project({ owner: developer })
    const theirs = pipelinesOf(here, other, developer)
    await upload(here, theirs.job(theirs.pipeline()), archive)
    const their = join(here.dataDir, 'artifacts', String(other.id))
    expect(readdirSync(their)).toHaveLength(1)
    await here.as(developer).delete(`/projects/${other.id}`)
    await here.drain()
    await removeDeletedFiles(here.ctx())
    expect(existsSync(their)).toBe(false)
  })

  it('without a row are deleted after a day', async () => {
    const ciJob = await leave()
    const old = new Date(Date.parse(here.ctx().now) - 2 * 86_400_000)
    for (const name of ['orphan', 'fresh']) writeFileSync(join(folder, name), 'x')
    for (const name of onDisk()) if (name !== 'fresh') utimesSync(join(folder, name), old, old)
    utimesSync(join(folder, 'fresh'), new Date(here.ctx().now), new Date(here.ctx().now))
    await removeOrphans(here.ctx())
    expect(onDisk()).toContain('fresh')
    expect(onDisk()).not.toContain('orphan')
    expect(await statusOf(ciJob)).toBe(200)
  })
})
