import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { removeOrphans } from '../../../server/domains/ci/secure_files/describe.ts'
import { world } from '../../support/world.ts'
import { pipelinesOf } from './artifact-world.ts'
import { CERTIFICATE, LOCKED_P12, OLDER_P12, P12, PROFILE } from './secure-files-samples.ts'

const here = await world()
const maintainer = here.make.user()
const developer = here.make.user()
const reporter = here.make.user()
const project = await here.make.project({ visibility: 'public' })
await here.make.member('projects', project.id, maintainer, 40)
await here.make.member('projects', project.id, developer, 30)
await here.make.member('projects', project.id, reporter, 20)
const as = here.as(maintainer)
const at = `/projects/${project.id}/secure_files`
const folder = join(here.dataDir, 'secure_files', String(project.id))
const onDisk = () => (existsSync(folder) ? readdirSync(folder) : [])

function form(name: string | undefined, content?: Buffer): FormData {
  const made = new FormData()
  if (name !== undefined) made.append('name', name)
  if (content) made.append('file', new Blob([new Uint8Array(content)]), 'local-name')
  return made
}

const upload = (name: string, content: Buffer = Buffer.from(name)) => as.post(at, form(name, content))

describe('secure files', () => {
  it('can be uploaded, shown, listed, downloaded and deleted', async () => {
    const content = Buffer.from([0, 1, 2, 255, 10, 13])
    const made = await upload('keys/release.jks', content)
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: made.body.id,
      name: 'keys/release.jks',
      checksum: createHash('sha256').update(content).digest('hex'),
      checksum_algorithm: 'sha256',
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
      metadata: null,
      file_extension: 'jks',
    })
    const own = `${at}/${made.body.id}`
    const reader = here.as(developer)
    expect((await reader.get(own)).body).toEqual(made.body)
    const list = await reader.get(at)
    expect([list.headers.get('x-total'), list.body]).toEqual(['1', [made.body]])
    const answer = await fetch(`${here.url}/api/v4${own}/download`, {
      headers: { 'private-token': developer.token },
    })
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(content)
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="keys\/release.jks"/)
    expect(onDisk()).toHaveLength(1)
    expect((await as.delete(own)).status).toBe(204)
    await here.drain()
    expect(onDisk()).toEqual([])
    const notFound = { message: '404 SecureFile Not Found' }
    for (const path of [own, `${own}/download`]) expect((await as.get(path)).body).toEqual(notFound)
    expect((await as.delete(own)).status).toBe(404)
  })

  it('are stored encrypted, each under its own name', async () => {
    const { body } = await upload('password.txt', Buffer.from('the quay is slippery'))
    const [file] = onDisk()
    const sealed = readFileSync(join(folder, file!), 'utf8')
    expect(sealed).toMatch(/^v1:[A-Za-z0-9+/=]+$/)
    expect(Buffer.from(sealed.slice(3), 'base64').includes('slippery')).toBe(false)
    await as.delete(`${at}/${body.id}`)
  })

  it('show the metadata of certificates and profiles after a short time', async () => {
    const id = '75949910542696343243264405377658443914'
    const name = { C: 'SE', O: 'Saltmarsh', OU: 'ABC123XYZ', UID: 'ABC123XYZ' }
    const certificate = {
      expires_at: '2036-11-19T04:06:21.000Z',
      metadata: { id, issuer: { ...name, CN: 'Distribution: Saltmarsh (ABC123XYZ)' }, subject: name },
    }
    const cases = { 'a.cer': CERTIFICATE, 'a.p12': P12, 'older.p12': OLDER_P12 }
    const made = []
    for (const [file, content] of Object.entries(cases)) made.push((await upload(file, content)).body)
    expect(made[0]).toMatchObject({ metadata: null, expires_at: null })
    const profile = (await upload('a.mobileprovision', PROFILE)).body
    await here.drain()
    for (const file of made) expect((await as.get(`${at}/${file.id}`)).body).toMatchObject(certificate)
    expect((await as.get(`${at}/${profile.id}`)).body).toMatchObject({
      expires_at: '2023-11-01T10:00:00.000Z',
      metadata: {
        id: '6b9fcce1-b9a9-4b37-b2ce-ec4da2044abf',
        expires_at: '2023-11-01T10:00:00.000Z',
        platforms: ['iOS'],
        team_name: 'Saltmarsh',
        team_id: ['ABC123XYZ'],
        app_name: 'Tide & Tables',
        app_id: 'Tide Tables Development',
        app_id_prefix: ['ABC123XYZ'],
        xcode_managed: false,
        entitlements: { 'get-task-allow': true },
        devices: ['00008101-001454860C10001E'],
        certificate_ids: [id],
      },
    })
  })

  it('have no metadata if the content does not match the file name', async () => {
    const odd = { 'b.cer': P12, 'b.p12': LOCKED_P12, 'b.mobileprovision': CERTIFICATE, 'b.CER': CERTIFICATE }
    for (const [file, content] of Object.entries(odd)) {
      const { body } = await upload(file, content)
      await here.drain()
      expect((await as.get(`${at}/${body.id}`)).body).toMatchObject({ metadata: null, expires_at: null })
    }
  })

  it('are validated', async () => {
    const wrong = async (name: string | undefined, content?: Buffer) => {
      const { status, body } = await as.post(at, form(name, content))
      return [status, body]
    }
    const content = Buffer.from('x')
    expect(await wrong('twice.txt', content)).toMatchObject([201, {}])
    expect(await wrong('twice.txt', content)).toEqual([
      400,
      { message: { name: ['has already been taken'] } },
    ])
    expect(await wrong(undefined, content)).toEqual([400, { error: 'name is missing' }])
    expect(await wrong('a.txt')).toEqual([400, { error: 'file is missing' }])
    expect((await as.post(at, { name: 'a.txt', file: 'x' })).body).toEqual({ error: 'file is invalid' })
    for (const name of ['../up', '/top', 'a//b', 'a/..', 'back\\slash', 'new\nline'])
      expect(await wrong(name, content)).toEqual([400, { message: { name: ['is invalid'] } }])
    expect(await wrong(' ', content)).toEqual([400, { message: { name: ["can't be blank"] } }])
    expect(await wrong('n'.repeat(256), content)).toEqual([
      400,
      { message: { name: ['is too long (maximum is 255 characters)'] } },
    ])
    const size = 5 * 1024 * 1024
    const before = onDisk().length
    expect(await wrong('large', Buffer.alloc(size))).toEqual([
      413,
      { message: '413 Request Entity Too Large' },
    ])
    expect(onDisk()).toHaveLength(before)
    expect(await wrong('fits', Buffer.alloc(size - 1))).toMatchObject([201, {}])
  })

  it('can be read by developers and changed by maintainers', async () => {
    const { body } = await upload('who.txt')
    const own = `${at}/${body.id}`
    for (const path of [at, own, `${own}/download`]) {
      expect((await here.as(reporter).get(path)).status).toBe(403)
      expect((await here.as(null).get(path)).status).toBe(401)
    }
    expect((await here.as(developer).post(at, form('x', Buffer.from('x')))).body).toEqual({
      message: '403 Forbidden',
    })
    expect((await here.as(developer).delete(own)).status).toBe(403)
    const other = await here.make.project({ owner: maintainer })
    const elsewhere = `/projects/${other.id}/secure_files/${body.id}`
    for (const path of [elsewhere, `${elsewhere}/download`]) expect((await as.get(path)).status).toBe(404)
    expect((await here.as(developer).get(`/projects/${other.id}/secure_files`)).status).toBe(404)
  })

  it('can be read with a job token, with the permissions of its user', async () => {
    const { pipeline, job } = pipelinesOf(here, project, maintainer)
    const tokenOf = (who: typeof developer): string => job(pipeline(), { user_id: who.id }).token
    const theirs = { 'job-token': tokenOf(developer) }
    const { body } = await upload('job.txt', Buffer.from('for jobs'))
    const own = `${at}/${body.id}`
    const jobs = here.as(null)
    expect((await jobs.get(at, theirs)).body).toContainEqual(expect.objectContaining({ name: 'job.txt' }))
    expect((await jobs.get(own, theirs)).body).toMatchObject({ id: body.id })
    expect((await jobs.get(`${own}/download`, theirs)).text).toBe('for jobs')
    expect((await jobs.delete(own, undefined, theirs)).status).toBe(403)
    const mine = { 'job-token': tokenOf(maintainer) }
    expect((await jobs.post(at, form('made.txt', Buffer.from('x')), mine)).status).toBe(201)
    expect((await jobs.delete(own, undefined, mine)).status).toBe(204)
    expect((await jobs.get(at, { 'job-token': 'none' })).status).toBe(401)
  })

  it('are limited to 100 for each project', async () => {
    const other = await here.make.project({ owner: maintainer })
    const insert = `INSERT INTO secure_files (project_id, name, checksum, size, stored_as, created_at)
      SELECT ?, 'file' || value, '', 0, value, '' FROM generate_series`
    const numbers = Array.from({ length: 100 }, (_, index) => index)
    here.ctx().db.exec(insert.replace('generate_series', 'json_each(?)'), other.id, JSON.stringify(numbers))
    const refused = await as.post(`/projects/${other.id}/secure_files`, form('more', Buffer.from('x')))
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: { base: ['Maximum number of project ci secure files (100) exceeded'] } },
    ])
  })

  it('are kept when files of interrupted uploads are deleted', async () => {
    const { body } = await upload('kept.txt')
    const yesterday = Date.now() / 1000 - 2 * 86_400
    for (const name of onDisk()) utimesSync(join(folder, name), yesterday, yesterday)
    const before = onDisk()
    for (const name of ['a'.repeat(32), `${'b'.repeat(32)}.part`, 'fresh']) {
      writeFileSync(join(folder, name), 'v1:')
      if (name !== 'fresh') utimesSync(join(folder, name), yesterday, yesterday)
    }
    const forgotten = join(here.dataDir, 'secure_files', '99999')
    mkdirSync(forgotten)
    await removeOrphans(here.ctx())
    expect(onDisk().toSorted()).toEqual([...before, 'fresh'].toSorted())
    expect(existsSync(forgotten)).toBe(false)
    expect((await as.get(`${at}/${body.id}/download`)).body).toBe('kept.txt')
  })

  it('are deleted with their project', async () => {
    expect(onDisk().length).toBeGreaterThan(0)
    await here.as(here.root).delete(`/projects/${project.id}`)
    await here.drain()
    expect(existsSync(folder)).toBe(false)
  })
})
