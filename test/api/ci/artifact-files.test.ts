import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { bytesOf, pipelinesOf, upload, zipOf, type Files } from './artifact-world.ts'

const here = await world()
const developer = here.make.user()
const reporter = here.make.user()
const guest = here.make.user()
const project = await here.make.project({ visibility: 'public' })
await here.make.member('projects', project.id, developer, 30)
await here.make.member('projects', project.id, reporter, 20)
await here.make.member('projects', project.id, guest, 10)
const { pipeline, job, set } = pipelinesOf(here, project, developer)
const as = here.as(developer)
const headers = { 'private-token': developer.token }
const jobs = `/projects/${project.id}/jobs`
const window = (id: number, query = '') => `/-/projects/${project.id}/jobs/${id}/artifacts/tree${query}`

/** Creates a finished job with an archive. */
async function leave(content: Files | Buffer, query: Record<string, string> = {}, columns = {}) {
  const ciJob = job(pipeline(), columns)
  const archive = Buffer.isBuffer(content) ? content : await zipOf(content)
  expect((await upload(here, ciJob, archive, query)).status).toBe(201)
  set(ciJob.id, { status: 'success' })
  return ciJob
}

const site = await leave({
  'index.html': '<script>alert(1)</script>',
  'empty.txt': '',
  'data/numbers.json': '[1]',
  'data/deep/er/picture.svg': '<svg/>',
  'data/große Wörter.txt': 'ä',
  'data.bin': Buffer.alloc(300_000, 7),
})
const own = `${jobs}/${site.id}/artifacts`

describe('files of an archive', () => {
  it('are returned one by one, under the paths that clients send', async () => {
    const text = async (path: string) => (await bytesOf(here, `${own}/${path}`, headers)).body.toString()
    expect(await text('data/numbers.json')).toBe('[1]')
    expect(await text('data%2Fnumbers.json')).toBe('[1]')
    expect(await text('./data/numbers.json')).toBe('[1]')
    expect(await text('data/gro%C3%9Fe%20W%C3%B6rter.txt')).toBe('ä')
    expect(await text('empty.txt')).toBe('')
    const large = await bytesOf(here, `${own}/data.bin`, headers)
    expect(large.body.equals(Buffer.alloc(300_000, 7))).toBe(true)
    expect(large.headers.get('content-length')).toBe('300000')
    const head = await as.head(`${own}/data.bin`)
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '300000'])
  })

  it('never run as pages of the instance', async () => {
    for (const [path, type] of [
      ['index.html', 'text/html; charset=utf-8'],
      ['data/deep/er/picture.svg', 'image/svg+xml'],
    ]) {
      const { headers: sent } = await bytesOf(here, `${own}/${path}`, headers)
      expect(sent.get('content-type')).toBe(type)
      expect(sent.get('content-disposition')).toMatch(/^attachment; filename="/)
      expect(sent.get('content-security-policy')).toMatch(/sandbox/)
      expect(sent.get('x-content-type-options')).toBe('nosniff')
    }
  })

  it('have addresses outside of the API that display images and text', async () => {
    const at = `/${project.path_with_namespace}/-/jobs`
    const get = (path: string, who: typeof developer | null = developer) => here.as(who).get(`!${at}/${path}`)
    const picture = await get(`${site.id}/artifacts/file/data/deep/er/picture.svg`)
    expect([picture.status, picture.text]).toEqual([200, '<svg/>'])
    expect(picture.headers.get('content-disposition')).toMatch(/^inline/)
    expect(picture.headers.get('content-security-policy')).toMatch(/sandbox/)
    const page = await get(`${site.id}/artifacts/raw/index.html`)
    expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect((await get(`${site.id}/artifacts/raw/data/gro%C3%9Fe%20W%C3%B6rter.txt`)).text).toBe('ä')
    const whole = await get(`${site.id}/artifacts/download`)
    expect(whole.headers.get('content-disposition')).toMatch(/^attachment; filename="artifacts.zip"/)
    const head = await here.as(developer).head(`!${at}/${site.id}/artifacts/raw/data.bin`)
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '300000'])
    for (const path of ['raw/none', 'raw/%zz', 'file/a%00b'])
      expect((await get(`${site.id}/artifacts/${path}`)).status).toBe(404)
    expect((await get(`${site.id}/artifacts/raw/..%2Fx`)).status).toBe(400)
    expect((await get('4000000000/artifacts/download')).status).toBe(404)
    expect((await get('artifacts/main/download')).status).toBe(404)
    const closed = await leave({ 'a.txt': 'a' }, { accessibility: 'private' })
    expect((await get(`${closed.id}/artifacts/raw/a.txt`, null)).status).toBe(403)
    expect((await get(`${site.id}/artifacts/raw/empty.txt`, null)).status).toBe(200)
  })

  it('are found by paths of files only', async () => {
    const answerTo = async (path: string) => {
      const { status, body } = await as.get(`${own}/${path}`)
      return [status, body]
    }
    for (const path of ['none', 'data', 'index.html/x', 'Index.html', 'data/deep'])
      expect(await answerTo(path)).toEqual([404, { message: '404 Not Found' }])
    for (const path of [
      '..%2Findex.html',
      'data%2F..%2Findex.html',
      '%2Fetc%2Fpasswd',
      'a%2F%2Fb',
      'data%2F',
      'a%5Cb',
    ])
      expect(await answerTo(path)).toEqual([400, { message: '400 Bad request' }])
    expect((await answerTo('a%00b'))[0]).toBe(404)
    expect((await answerTo('x'.repeat(5000)))[0]).toBe(400)
    const missing = job(pipeline())
    expect((await as.get(`${jobs}/${missing.id}/artifacts/x`)).body).toEqual({ message: '404 Not Found' })
    expect((await as.get(`${jobs}/4000000000/artifacts/x`)).body).toEqual({ message: '404 Not found' })
    expect((await as.get(`${jobs}/none/artifacts/x`)).body).toEqual({ error: 'job_id is invalid' })
    const elsewhere = await here.make.project({ visibility: 'public' })
    expect((await as.get(`/projects/${elsewhere.id}/jobs/${site.id}/artifacts/x`)).status).toBe(404)
  })

  it('are listed by folder', async () => {
    const list = async (query = '') => (await as.get(window(site.id, query))).body
    expect(await list()).toEqual([
      { name: 'data', path: 'data', type: 'tree', size: 11 },
      { name: 'data.bin', path: 'data.bin', type: 'blob', size: 300_000 },
      { name: 'empty.txt', path: 'empty.txt', type: 'blob', size: 0 },
      { name: 'index.html', path: 'index.html', type: 'blob', size: 25 },
    ])
    expect((await list('?path=data/')).map((artifact: { path: string }) => artifact.path)).toEqual([
      'data/deep',
      'data/große Wörter.txt',
      'data/numbers.json',
    ])
    const paged = await as.get(window(site.id, '?per_page=1&page=2'))
    expect([paged.headers.get('x-total'), paged.body.length]).toEqual(['4', 1])
    expect((await as.get(window(site.id, '?path=dat'))).status).toBe(404)
    expect((await as.get(window(site.id, '?path=../x'))).status).toBe(400)
  })

  it('are visible to users who can read the job', async () => {
    const status = async (who: typeof developer | null, id: number) => {
      const paths = [`${jobs}/${id}/artifacts`, `${jobs}/${id}/artifacts/a.txt`, window(id)]
      const all = await Promise.all(paths.map(async (path) => (await here.as(who).get(path)).status))
      return [...new Set(all)]
    }
    const { id } = await leave({ 'a.txt': 'a' })
    for (const who of [developer, reporter, guest, null]) expect(await status(who, id)).toEqual([200])
    const secret = await leave({ 'a.txt': 'a' }, { accessibility: 'private' })
    expect(await status(developer, secret.id)).toEqual([200])
    for (const who of [reporter, guest]) expect(await status(who, secret.id)).toEqual([403])
    expect(await status(null, secret.id)).toEqual([403])
    const nobody = await leave({ 'a.txt': 'a' }, { accessibility: 'none' })
    for (const who of [here.root, developer]) expect(await status(who, nobody.id)).toEqual([403])
    await here.as(here.root).put(`/projects/${project.id}`, { public_jobs: false })
    for (const who of [developer, reporter]) expect(await status(who, id)).toEqual([200])
    expect(await status(guest, id)).toEqual([403])
    expect(await status(null, id)).toEqual([401])
    await here.as(here.root).put(`/projects/${project.id}`, { public_jobs: true })
  })
})

describe('the archive of a branch', () => {
  it('is that of its last successful pipeline', async () => {
    const make = async (ref: string, status: string, text: string, columns = {}) => {
      const made = pipeline({ ref, status, ...columns })
      const ciJob = job(made, { name: 'pack' })
      await upload(here, ciJob, await zipOf({ 'out/version.txt': text }))
      return made
    }
    await make('feature/a', 'success', 'old')
    const last = await make('feature/a', 'success', 'last')
    await make('feature/a', 'failed', 'broken')
    await make('feature/a', 'success', 'child', { source: 'parent_pipeline', upstream_pipeline_id: last })
    const at = (ref: string, rest: string, name = 'pack') => `${jobs}/artifacts/${ref}/${rest}?job=${name}`
    const file = async (ref: string) =>
      (await bytesOf(here, at(ref, 'raw/out/version.txt'), headers)).body.toString()
    // Finds the newest job of that name in the pipeline and its child pipelines.
    expect(await file('feature/a')).toBe('child')
    expect(await file('feature%2Fa')).toBe('child')
    const archive = await bytesOf(here, at('feature/a', 'download'), headers)
    expect([archive.status, archive.headers.get('content-type')]).toEqual([200, 'application/zip'])
    const web = `!/${project.path_with_namespace}/-/jobs/artifacts/feature/a`
    expect((await as.get(`${web}/raw/out/version.txt?job=pack`)).text).toBe('child')
    expect((await as.get(`${web}/download?job=pack`)).status).toBe(200)
    expect((await as.get(`${web}/download?job=none`)).status).toBe(404)
    await make('odd/raw/name', 'success', 'odd')
    expect(await file('odd/raw/name')).toBe('odd')
    await make('v1', 'success', 'tag', { tag: true })
    expect(await file('v1')).toBe('tag')
    const notFound = { message: '404 Not Found' }
    expect((await as.get(at('feature/a', 'download', 'other'))).body).toEqual(notFound)
    expect((await as.get(at('none', 'download'))).body).toEqual(notFound)
    expect((await as.get(at('feature/a', 'raw/none'))).body).toEqual(notFound)
    expect((await as.get(at('feature/a', 'raw/..%2Fx'))).body).toEqual({ message: '400 Bad request' })
    expect((await as.get(`${jobs}/artifacts/feature/a/download`)).body).toEqual({ error: 'job is missing' })
  })

  it('can be downloaded with the token of a job with access', async () => {
    const { token } = job(pipeline())
    const closed = await here.make.project({ visibility: 'private' })
    await here.make.member('projects', closed.id, developer, 30)
    const theirs = pipelinesOf(here, closed, developer)
    const ciJob = theirs.job(theirs.pipeline({ status: 'success' }), { name: 'pack' })
    await upload(here, ciJob, await zipOf({ a: 'a' }))
    const status = async (path: string) => (await here.as(null).get(path, { 'job-token': token })).status
    expect(await status(`${own}/index.html`)).toBe(200)
    const path = `/projects/${closed.id}/jobs/artifacts/main/raw/a?job=pack`
    await here.as(here.root).put(`/projects/${project.id}`, { ci_job_token_scope_enabled: false })
    expect(await status(path)).toBe(200)
    expect(
      (
        await here
          .as(null)
          .get(`/projects/${closed.id}/jobs/artifacts/main/raw/a?job=pack&job_token=${token}`)
      ).status,
    ).toBe(200)
    await here.as(here.root).put(`/projects/${project.id}`, { ci_job_token_scope_enabled: true })
    expect(await status(path)).toBe(404)
  })
})

/** Builds an archive and lets `change` modify each record of its directory. */
async function forged(files: Files, change: (record: Buffer, archive: Buffer) => void): Promise<Buffer> {
  const archive = await zipOf(files)
  for (let at = archive.indexOf('PK\u0001\u0002'); at >= 0; at = archive.indexOf('PK\u0001\u0002', at + 4))
    change(archive.subarray(at), archive)
  return archive
}

describe('a hostile archive', () => {
  const answerTo = async (id: number, path: string) => {
    const { status, body } = await as.get(`${jobs}/${id}/artifacts/${path}`)
    return [status, body]
  }
  const listed = async (id: number) => {
    const { body } = await as.get(window(id))
    return body.map((artifact: { path: string }) => artifact.path)
  }

  it('cannot reach outside, and its links are not followed', async () => {
    const names: Record<string, string> = {
      aaaaaaaa: '../../x',
      bbbbbbbb: '/etc/hos',
      cccccccc: 'c:\\x\\yyy',
    }
    const { id } = await leave(
      await forged(
        { aaaaaaaa: 'a', bbbbbbbb: 'b', cccccccc: 'c', 'link.txt': '/etc/passwd', 'fine.txt': 'f' },
        (record) => {
          const name = record.subarray(46, 54).toString()
          const other = names[name]
          if (other) record.write(other.padEnd(8, 'x').slice(0, 8), 46)
          if (name === 'link.txt') {
            record.writeUInt16LE(3 << 8, 4)
            record.writeUInt32LE((0o120777 << 16) >>> 0, 38)
          }
        },
      ),
    )
    expect(await listed(id)).toEqual(['fine.txt'])
    expect((await answerTo(id, 'link.txt'))[0]).toBe(404)
    expect((await answerTo(id, 'fine.txt'))[0]).toBe(200)
  })

  it('with an unreadable file gets an error with the reason', async () => {
    const readable = { 'a.txt': 'text '.repeat(100) }
    const cases: [string, (record: Buffer, archive: Buffer) => void][] = [
      ['The file is encrypted', (record) => record.writeUInt16LE(record.readUInt16LE(8) | 1, 8)],
      ['The file is packed in an unknown way', (record) => record.writeUInt16LE(12, 10)],
      ['The archive is broken', (record) => record.writeUInt32LE(5, 42)],
      ['The archive is broken', (record) => record.writeUInt32LE(0xfffffff0, 42)],
      ['The archive is broken', (record) => record.writeUInt32LE(0x7fffffff, 20)],
      ['The file is packed too tightly', (record) => record.writeUInt32LE(0x7fffffff, 24)],
    ]
    for (const [sentence, change] of cases) {
      const { id } = await leave(await forged(readable, change))
      expect(await answerTo(id, 'a.txt')).toEqual([400, { message: `400 Bad request - ${sentence}` }])
    }
    for (const broken of [
      Buffer.from('no archive'),
      Buffer.alloc(0),
      (await zipOf(readable)).subarray(0, -1),
    ]) {
      const { id } = await leave(broken)
      expect(await answerTo(id, 'a.txt')).toEqual([422, { message: 'The archive is broken' }])
      expect((await as.get(window(id))).status).toBe(422)
      expect((await bytesOf(here, `${jobs}/${id}/artifacts`, headers)).body.equals(broken)).toBe(true)
    }
  })

  it('with wrong sizes is aborted, and the server keeps running', async () => {
    for (const size of [3, 100_000]) {
      const { id } = await leave(
        await forged({ 'a.txt': 'text '.repeat(10_000) }, (record) => record.writeUInt32LE(size, 24)),
      )
      await expect(bytesOf(here, `${jobs}/${id}/artifacts/a.txt`, headers)).rejects.toThrow(
        /terminated|fetch failed/,
      )
    }
    const { id } = await leave(
      await forged({ 'a.txt': 'text '.repeat(10_000) }, (_record, archive) => archive.fill(0xff, 40, 60)),
    )
    await expect(bytesOf(here, `${jobs}/${id}/artifacts/a.txt`, headers)).rejects.toThrow(
      /terminated|fetch failed/,
    )
    expect((await as.get(`${own}/empty.txt`)).status).toBe(200)
  })

  it('with very many files is listed, or refused', async () => {
    const { id } = await leave(manyFiles(30_000))
    const { headers: sent, body } = await as.get(window(id, '?path=f&per_page=2'))
    expect([body.length, sent.get('x-per-page')]).toEqual([2, '2'])
    expect((await answerTo(id, 'f/29999.txt'))[0]).toBe(200)
    const more = await leave(manyFiles(2, 200_001))
    expect(await answerTo(more.id, 'f/1.txt')).toEqual([
      422,
      { message: 'The archive has too many files to be shown' },
    ])
  })
})

/** Builds an archive with `count` names of the same empty file, and a Zip64 directory that declares `declared` of them. */
function manyFiles(count: number, declared = count): Buffer {
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  const records: Buffer[] = []
  for (let number = 0; number < count; number++) {
    const name = Buffer.from(`f/${number}.txt`)
    const record = Buffer.alloc(46)
    record.writeUInt32LE(0x02014b50, 0)
    record.writeUInt16LE(name.length, 28)
    records.push(record, name)
  }
  const directory = Buffer.concat(records)
  const end = Buffer.alloc(56)
  end.writeUInt32LE(0x06064b50, 0)
  end.writeUInt32LE(declared, 32)
  end.writeUInt32LE(local.length, 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeUInt32LE(local.length + directory.length, 8)
  const last = Buffer.alloc(22)
  last.writeUInt32LE(0x06054b50, 0)
  return Buffer.concat([local, directory, end, locator, last])
}
