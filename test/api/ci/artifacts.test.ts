import { existsSync, readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { describe, expect, it } from 'vitest'

import { watchEvents } from '../repository/fill.ts'
import { world } from '../../support/world.ts'
import { bytesOf, pipelinesOf, upload, zipOf, type MadeJob } from './artifact-world.ts'

const here = await world()
const developer = here.make.user()
const outsider = here.make.user()
const project = await here.make.project({ visibility: 'private' })
await here.make.member('projects', project.id, developer, 30)
const { pipeline, job, set } = pipelinesOf(here, project, developer)
const running = pipeline()
const make = (name: string, columns = {}) => job(running, { name, ...columns })
const folder = join(here.dataDir, 'artifacts', String(project.id))
const onDisk = () => (existsSync(folder) ? readdirSync(folder) : [])
const arriving = () => readdirSync(join(here.dataDir, 'tmp'))
const archive = await zipOf({ 'bin/app': 'x'.repeat(5000), 'README.md': '# hello' })
const files = (job: MadeJob) =>
  here
    .ctx()
    .db.many<Record<string, unknown>>(
      'SELECT file_type, file_format, filename, size, accessibility FROM ci_artifacts WHERE job_id = ? ORDER BY id',
      job.id,
    )
const size = async () => {
  const { body } = await here.as(here.root).get(`/projects/${project.id}?statistics=true`)
  return body.statistics.job_artifacts_size
}

/** Sends a body in chunks and without its length, as runners do. */
function stream(path: string, headers: Record<string, string>, pieces: (string | Buffer)[]) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = request(`${here.url}/api/v4${path}`, { method: 'POST', headers }, (answer) => {
      let body = ''
      answer.on('data', (chunk: Buffer) => (body += chunk.toString()))
      answer.on('end', () => resolve({ status: answer.statusCode!, body }))
    })
    sent.on('error', reject)
    for (const piece of pieces) sent.write(piece)
    sent.end()
  })
}

describe('a running job', () => {
  it('uploads an archive in the format of runners', async () => {
    const received = watchEvents(here, 'job.artifacts_changed')
    const ciJob = make('leaves')
    const head = `--B\r\nContent-Disposition: form-data; name="file"; filename="artifacts.zip"\r\nContent-Type: application/octet-stream\r\n\r\n`
    const before = await size()
    const answer = await stream(
      `/jobs/${ciJob.id}/artifacts?artifact_format=zip&artifact_type=archive&expire_in=1+day`,
      {
        'job-token': ciJob.token,
        'content-type': 'multipart/form-data; boundary=B',
        'transfer-encoding': 'chunked',
      },
      [head, archive.subarray(0, 100), archive.subarray(100), '\r\n--B--\r\n'],
    )
    expect(answer).toEqual({ status: 201, body: '201' })
    expect(files(ciJob)).toEqual([
      {
        file_type: 'archive',
        file_format: 'zip',
        filename: 'artifacts.zip',
        size: archive.length,
        accessibility: 'public',
      },
    ])
    expect(received).toEqual([{ project_id: project.id, job_id: ciJob.id, actor_id: developer.id }])
    expect(await size()).toBe(before + archive.length)
    await expect.poll(arriving).toEqual([])
    const { body } = await here.as(developer).get(`/projects/${project.id}/jobs/${ciJob.id}`)
    expect(body).toMatchObject({
      artifacts_file: { filename: 'artifacts.zip', size: archive.length },
      artifacts: [{ file_type: 'archive', size: archive.length, file_format: 'zip' }],
    })
    const day = Date.parse(body.artifacts_expire_at) - Date.parse(here.ctx().now)
    expect(day / 3_600_000).toBeCloseTo(24, 1)
  })

  it('may repeat an upload, but not upload a different file of the same type', async () => {
    const ciJob = make('again')
    for (let time = 0; time < 2; time++) expect((await upload(here, ciJob, archive)).status).toBe(201)
    const other = await upload(here, ciJob, await zipOf({ other: '' }))
    expect([other.status, other.body]).toEqual([
      400,
      { message: 'another artifact of the same type already exists' },
    ])
    const report = { artifact_type: 'junit', artifact_format: 'gzip' }
    expect((await upload(here, ciJob, gzipSync('<testsuites/>'), report, 'junit.xml.gz')).status).toBe(201)
    expect(files(ciJob).map((file) => file['file_type'])).toEqual(['archive', 'junit'])
    expect(onDisk().length).toBeGreaterThan(1)
    await expect.poll(arriving).toEqual([])
  })

  it('sets the expiry of its artifacts, with the setting as the default', async () => {
    const ends = async (expire_in?: string) => {
      const ciJob = make('ends')
      const { status, body } = await upload(
        here,
        ciJob,
        archive,
        expire_in === undefined ? {} : { expire_in },
      )
      if (status !== 201) return [status, body]
      const shown = await here.as(developer).get(`/projects/${project.id}/jobs/${ciJob.id}`)
      const end = shown.body.artifacts_expire_at
      return end === null ? null : Math.round((Date.parse(end) - Date.parse(here.ctx().now)) / 86_400_000)
    }
    expect(await ends()).toBe(30)
    expect(await ends('')).toBe(30)
    expect(await ends('2 weeks 1 day')).toBe(15)
    expect(await ends('never')).toBe(null)
    for (const wrong of ['tomorrow', '99999999 years'])
      expect(await ends(wrong)).toEqual([400, { error: 'expire_in is invalid' }])
    await here.as(here.root).put('/application/settings', { default_artifacts_expire_in: '0' })
    expect(await ends()).toBe(null)
    await here.as(here.root).put('/application/settings', { default_artifacts_expire_in: '30 days' })
  })

  it('limits who can download its artifacts', async () => {
    const cases = [
      [{ artifacts: { public: false } }, {}, 'private'],
      [{ artifacts: { access: 'developer' } }, {}, 'developer'],
      [{ artifacts: { access: 'all' } }, {}, 'public'],
      [{}, { accessibility: 'none' }, 'none'],
    ] as const
    for (const [options, query, expected] of cases) {
      const ciJob = make('private', { options })
      expect((await upload(here, ciJob, archive, query)).status).toBe(201)
      expect(files(ciJob)[0]).toMatchObject({ accessibility: expected })
    }
  })

  it('gets an error for invalid uploads', async () => {
    const ciJob = make('refused')
    const answerTo = async (query: Record<string, string>, content = archive) => {
      const { status, body } = await upload(here, ciJob, content, query)
      return [status, body]
    }
    expect(await answerTo({ artifact_type: 'trace' })).toEqual([
      400,
      { error: 'artifact_type does not have a valid value' },
    ])
    expect(await answerTo({ artifact_format: 'rar' })).toEqual([
      400,
      { error: 'artifact_format does not have a valid value' },
    ])
    expect(await answerTo({ artifact_type: 'junit' })).toEqual([
      400,
      { message: 'Validation failed: File format Invalid file format with specified file type' },
    ])
    expect(await answerTo({ accessibility: 'friends' })).toEqual([
      400,
      { error: 'accessibility does not have a valid value' },
    ])
    const none = await here.as(null).post(`/jobs/${ciJob.id}/artifacts`, {}, { 'job-token': ciJob.token })
    expect([none.status, none.body]).toEqual([400, { error: 'file is missing' }])
    const bare = await here
      .as(null)
      .post(`/jobs/${ciJob.id}/artifacts`, { file: { path: '/etc/passwd' } }, { 'job-token': ciJob.token })
    expect(bare.body).toEqual({ error: 'file is invalid' })
    expect(files(ciJob)).toEqual([])
    await expect.poll(arriving).toEqual([])
  })

  it('gets an error for files that are too large, and none of their data is stored', async () => {
    const ciJob = make('large')
    await here.as(here.root).put('/application/settings', { max_artifacts_size: 1 })
    const large = Buffer.alloc(1024 * 1024 + 1)
    const before = onDisk().length
    const answer = await upload(here, ciJob, large)
    expect([answer.status, answer.body]).toEqual([
      413,
      { message: 'file size has reached maximum size limit' },
    ])
    expect((await upload(here, ciJob, large.subarray(1))).status).toBe(201)
    const refused = await here
      .as(null)
      .post(`/jobs/${ciJob.id}/artifacts/authorize`, { filesize: 2_000_000 }, { 'job-token': ciJob.token })
    expect([refused.status, refused.body]).toEqual([
      413,
      { message: 'file size has reached maximum size limit' },
    ])
    await here.as(here.root).put('/application/settings', { max_artifacts_size: 100 })
    const fits = await here
      .as(null)
      .post(`/jobs/${ciJob.id}/artifacts/authorize`, { filesize: 2_000_000 }, { 'job-token': ciJob.token })
    expect(fits.status).toBe(200)
    // This exceeds the limit of uploads by users.
    const other = make('larger')
    expect((await upload(here, other, Buffer.alloc(11 * 1024 * 1024))).status).toBe(201)
    expect(onDisk()).toHaveLength(before + 2)
    await expect.poll(arriving).toEqual([])
  })

  it('is checked with its token before any data is stored', async () => {
    const ciJob = make('shown')
    const done = make('done', { status: 'success' })
    const erased = make('erased')
    set(erased.id, { erased_at: here.ctx().now })
    const forbidden = { message: '403 Forbidden' }
    const answerTo = async (who: { id: number; token: string }) => {
      const { status, body, headers } = await upload(here, who, archive)
      return [status, body, headers.get('job-status')]
    }
    expect(await answerTo({ id: ciJob.id, token: 'glcbt-none' })).toEqual([403, forbidden, null])
    expect(await answerTo({ id: ciJob.id, token: done.token })).toEqual([403, forbidden, null])
    expect(await answerTo({ id: 4_000_000_000, token: ciJob.token })).toEqual([403, forbidden, null])
    expect(await answerTo(done)).toEqual([403, { message: '403 Forbidden - Job is not running' }, 'success'])
    expect(await answerTo(erased)).toEqual([403, { message: '403 Forbidden - Job has been erased!' }, null])
    const form = new FormData()
    form.append('file', new Blob(['x']), 'a.zip')
    expect((await here.as(developer).post(`/jobs/${ciJob.id}/artifacts`, form)).status).toBe(403)
    expect((await here.as(null).post('/jobs/none/artifacts', form)).body).toEqual({ error: 'id is invalid' })
    await expect.poll(arriving).toEqual([])
    const inQuery = await here.as(null).post(`/jobs/${ciJob.id}/artifacts?token=${ciJob.token}`, form)
    expect(inQuery.status).toBe(201)
  })

  it('that ended during the upload gets no artifact', async () => {
    const ciJob = make('slow')
    const before = onDisk().length
    const body = `--B\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n`
    const answer = await new Promise<number>((resolve, reject) => {
      const headers = { 'job-token': ciJob.token, 'content-type': 'multipart/form-data; boundary=B' }
      const sent = request(
        `${here.url}/api/v4/jobs/${ciJob.id}/artifacts`,
        { method: 'POST', headers },
        (response) => {
          response.resume()
          resolve(response.statusCode!)
        },
      )
      sent.on('error', reject)
      sent.write(body, () => {
        set(ciJob.id, { status: 'canceled' })
        sent.end('x\r\n--B--\r\n')
      })
    })
    expect(answer).toBe(403)
    expect(onDisk()).toHaveLength(before)
    await expect.poll(arriving).toEqual([])
  })
})

describe('the archive of a job', () => {
  const done = make('done before')
  const later = make('later', { stage_index: 2 })

  it('can be downloaded by runners with the token of the job or of another running job', async () => {
    await upload(here, done, archive)
    set(done.id, { status: 'success' })
    for (const query of ['', '?direct_download=true']) {
      const answer = await bytesOf(here, `/jobs/${done.id}/artifacts${query}`, { 'job-token': later.token })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
      expect(answer.body.equals(archive)).toBe(true)
    }
    expect((await bytesOf(here, `/jobs/${done.id}/artifacts`, { 'job-token': done.token })).status).toBe(200)
    const head = await here.as(null).head(`/jobs/${done.id}/artifacts`, { 'job-token': later.token })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(archive.length)])
    const inQuery = await here.as(null).get(`/jobs/${done.id}/artifacts?token=${later.token}`)
    expect(inQuery.status).toBe(200)
  })

  it('supports range requests to resume a download', async () => {
    const at = `/projects/${project.id}/jobs/${done.id}/artifacts`
    const part = async (range: string) => {
      const answer = await bytesOf(here, at, { 'private-token': developer.token, range })
      return [answer.status, answer.headers.get('content-range'), answer.body.toString('hex')]
    }
    const all = archive.length
    const hex = archive.toString('hex')
    expect(await part('bytes=0-3')).toEqual([206, `bytes 0-3/${all}`, hex.slice(0, 8)])
    expect(await part(`bytes=${all - 2}-`)).toEqual([
      206,
      `bytes ${all - 2}-${all - 1}/${all}`,
      hex.slice(-4),
    ])
    expect(await part('bytes=-1')).toEqual([206, `bytes ${all - 1}-${all - 1}/${all}`, hex.slice(-2)])
    expect(await part(`bytes=${all}-`)).toEqual([416, `bytes */${all}`, ''])
    expect(await part('lines=1-2')).toEqual([200, null, hex])
    const runner = await bytesOf(here, `/jobs/${done.id}/artifacts`, {
      'job-token': later.token,
      range: 'bytes=1-1',
    })
    expect([runner.status, runner.body.length]).toEqual([206, 1])
  })

  it('is passed to later jobs despite its access level, but not to other projects', async () => {
    const open = await here.make.project({ visibility: 'public' })
    const theirs = pipelinesOf(here, open, developer)
    const first = theirs.job(theirs.pipeline(), { options: { artifacts: { access: 'maintainer' } } })
    expect((await upload(here, first, archive)).status).toBe(201)
    const next = theirs.job(first.pipeline_id, { name: 'next' })
    const status = async (token: string) =>
      (await here.as(null).get(`/jobs/${first.id}/artifacts`, { 'job-token': token })).status
    expect(await status(next.token)).toBe(200)
    expect(await status(later.token)).toBe(403)
    const path = `/projects/${open.id}/jobs/${first.id}/artifacts`
    expect((await here.as(null).get(path, { 'job-token': next.token })).status).toBe(403)
  })

  it('cannot be downloaded by users without access', async () => {
    const foreign = job(running, { name: 'foreign', user_id: outsider.id })
    const over = make('over', { status: 'failed' })
    const answerTo = async (id: number, token: string) => {
      const { status, body } = await here.as(null).get(`/jobs/${id}/artifacts`, { 'job-token': token })
      return [status, body]
    }
    expect(await answerTo(done.id, '')).toEqual([401, { message: '401 Unauthorized' }])
    expect(await answerTo(done.id, 'wrong')).toEqual([401, { message: '401 Unauthorized' }])
    expect(await answerTo(done.id, over.token)).toEqual([401, { message: '401 Unauthorized' }])
    expect(await answerTo(done.id, foreign.token)).toEqual([403, { message: '403 Forbidden' }])
    expect(await answerTo(4_000_000_000, later.token)).toEqual([403, { message: '403 Forbidden' }])
    expect(await answerTo(later.id, later.token)).toEqual([404, { message: '404 Not Found' }])
    expect((await here.as(developer).get(`/jobs/${done.id}/artifacts`)).status).toBe(401)
  })

  it('can be downloaded and deleted by users with access to the job', async () => {
    const at = `/projects/${project.id}/jobs/${done.id}/artifacts`
    const answer = await bytesOf(here, at, { 'private-token': developer.token })
    expect(answer.body.equals(archive)).toBe(true)
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="artifacts.zip"/)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await here.as(null).get(at, { 'job-token': later.token })).status).toBe(200)
    expect((await here.as(outsider).get(at)).status).toBe(404)
    expect((await here.as(developer).delete(at)).status).toBe(403)
    const [stored] = here
      .ctx()
      .db.many<{ stored_as: string }>('SELECT stored_as FROM ci_artifacts WHERE job_id = ?', done.id)
    expect(onDisk()).toContain(stored!.stored_as)
    const before = await size()
    expect((await here.as(here.root).delete(at)).status).toBe(204)
    expect(await size()).toBe(before - archive.length)
    await here.drain()
    expect(onDisk()).not.toContain(stored!.stored_as)
    expect((await here.as(developer).get(at)).body).toEqual({ message: '404 Not Found' })
    expect((await here.as(here.root).delete(at)).status).toBe(204)
  })
})
