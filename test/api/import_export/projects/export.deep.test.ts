import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { onBehalfOf } from '../../../../server/domains/planning/index.ts'
import { frozenClock } from '../../../../server/lib/clock.ts'
import { mayReceive } from '../../../../server/domains.ts'
import { world, type TestUser, type World } from '../../../support/world.ts'
import { fill, watchEvents } from '../../repository/fill.ts'
import { exported, unpacked } from './unpacked.ts'

const clock = frozenClock('2026-05-04T03:02:01.234Z')
let w: World
let maintainer: TestUser
let developer: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any

interface Received {
  method: string
  headers: IncomingHttpHeaders
  body: Buffer
}
let receiver: Server
let address = ''
let answers = 200
const received: Received[] = []

beforeAll(async () => {
  w = await world({ clock })
  maintainer = w.make.user()
  developer = w.make.user()
  project = await w.make.project({ description: 'What it is', path: 'moving-out' })
  await w.make.member('projects', project.id, maintainer, 40)
  await w.make.member('projects', project.id, developer, 30)
  fill(w, project, [{ files: { a: '1\n' } }])
  receiver = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      received.push({ method: req.method!, headers: req.headers, body: Buffer.concat(chunks) })
      res.writeHead(answers).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/put/it/here?signature=abc`
  await settings({
    project_export_limit: 0,
    project_download_export_limit: 0,
    allow_local_requests_from_web_hooks_and_services: true,
  })
})
afterAll(() => receiver.close())

const settings = async (params: object): Promise<void> => {
  expect((await w.as(w.root).put('/application/settings', params)).status).toBe(200)
}
const at = (path: string): string => `/projects/${project.id}/${path}`
const status = async (): Promise<string> => (await w.as(maintainer).get(at('export'))).body.export_status
const files = (): string[] => readdirSync(join(w.dataDir, 'exports', 'projects'))
const lastMail = () =>
  w
    .ctx()
    .db.one<{ subject: string; text: string; recipients: string }>(
      'SELECT * FROM mails ORDER BY id DESC LIMIT 1',
    )!

describe('exports of projects', () => {
  it('have the status none before the first request', async () => {
    const answer = await w.as(maintainer).get(at('export'))
    expect(answer).toMatchObject({
      status: 200,
      body: { id: project.id, description: 'What it is', path: 'moving-out', export_status: 'none' },
    })
    expect(answer.body).not.toHaveProperty('_links')
    expect(await w.as(maintainer).get(at('export/download'))).toMatchObject({
      status: 404,
      body: { message: '404 Not found or has expired' },
    })
  })

  it('are limited to maintainers', async () => {
    for (const [user, expected] of [
      [developer, 403],
      [w.make.user(), 404],
    ] as const) {
      expect((await w.as(user).post(at('export'))).status).toBe(expected)
      expect((await w.as(user).get(at('export'))).status).toBe(expected)
      expect((await w.as(user).get(at('export/download'))).status).toBe(expected)
    }
    expect((await w.as(null).post(at('export'))).status).toBe(401)
  })

  it('publish events to maintainers', () => {
    const event = { export_id: 1, project_id: project.id, actor_id: w.root.id, state: 'queued' }
    const receives = (user: TestUser): boolean => mayReceive(onBehalfOf(w.ctx(), user.id)!, event)
    expect([receives(maintainer), receives(developer)]).toEqual([true, false])
  })

  it('run in the background, send a mail, and can be downloaded', async () => {
    const publishedEvents = watchEvents(w, 'export.changed')
    const begun = await w.as(maintainer).post(at('export'), { description: 'What it was' })
    expect(begun).toMatchObject({ status: 202, body: { message: '202 Accepted' } })
    expect(await status()).toMatch(/queued|started/)
    await w.drain()
    expect(publishedEvents.map(({ state }) => state)).toEqual(
      expect.arrayContaining(['queued', 'started', 'finished']),
    )
    const { body } = await w.as(maintainer).get(at('export'))
    expect(body).toMatchObject({
      export_status: 'finished',
      _links: {
        api_url: `${w.url}/api/v4/projects/${project.id}/export/download`,
        web_url: `${w.url}/root/moving-out/download_export`,
      },
    })
    const answer = await w.as(maintainer).get(at('export/download'))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/gzip')
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="2026-05-04_03-0\d-\d\d-\d{3}_root_moving-out_export\.tar\.gz"$/,
    )
    expect(lastMail()).toMatchObject({
      subject: `${project.name} | Project was exported`,
      recipients: [`${maintainer.username}@example.test`],
      text: expect.stringContaining(`${w.url}/root/moving-out/download_export`),
    })
    const page = await fetch(`${w.url}/root/moving-out/download_export`, {
      headers: { 'private-token': maintainer.token },
    })
    expect(page.status).toBe(200)
    const archive = await unpacked(Buffer.from(await page.arrayBuffer()))
    expect(archive.text('VERSION')).toBe('0.2.4')
    expect(archive.names).toEqual(
      expect.arrayContaining(['project.bundle', 'tree/project.json', 'tree/project/issues.ndjson']),
    )
    expect(archive.names).not.toContain('project.wiki.bundle')
    expect(archive.json('tree/project.json')).toMatchObject({
      description: 'What it was',
      visibility_level: 0,
    })
    expect(archive.text('lfs-objects.json')).toBe('{}')
    archive.remove()
    expect((await fetch(`${w.url}/root/moving-out/download_export`)).status).toBe(404)
    const progress = await w.as(maintainer).get(`/-/projects/${project.id}/export_progress`)
    expect(progress.body).toMatchObject({
      status: 'finished',
      step: null,
      error: null,
      user: { id: maintainer.id },
      size: expect.any(Number),
      file_name: expect.stringMatching(/_export\.tar\.gz$/),
    })
  })

  it('run again while the earlier archive can be downloaded, and then replace it', async () => {
    expect(files()).toHaveLength(1)
    const [before] = files()
    await w.as(maintainer).post(at('export'))
    expect(await status()).toBe('regeneration_in_progress')
    expect((await w.as(maintainer).get(at('export'))).body).toHaveProperty('_links')
    // A repeated request does not start another export.
    await w.as(maintainer).post(at('export'))
    expect(w.ctx().db.many("SELECT 1 FROM exports WHERE state = 'queued' OR state = 'started'")).toHaveLength(
      1,
    )
    expect((await w.as(maintainer).get(at('export/download'))).status).toBe(200)
    await w.drain()
    expect(await status()).toBe('finished')
    expect(files()).toHaveLength(1)
    expect(files()).not.toContain(before)
  })

  it('can be canceled while they are queued', async () => {
    const here = `/-/projects/${project.id}/export`
    expect((await w.as(maintainer).post(`${here}/cancel`)).status).toBe(409)
    await w.as(maintainer).post(at('export'), { description: 'Taken back' })
    expect((await w.as(developer).post(`${here}/cancel`)).status).toBe(403)
    expect((await w.as(maintainer).post(`${here}/cancel`)).status).toBe(202)
    await w.drain()
    expect(await status()).toBe('finished')
    expect(files()).toHaveLength(1)
    expect(readdirSync(join(w.dataDir, 'tmp')).filter((name) => name.startsWith('project-export'))).toEqual(
      [],
    )
  })

  it('run again after a crash', async () => {
    const { db, now } = w.ctx()
    const row = db.one<{ id: number }>(
      `INSERT INTO exports (project_id, user_id, state, step, created_at, updated_at)
       VALUES (?, ?, 'started', 'packing', ?, ?) RETURNING id`,
      project.id,
      maintainer.id,
      now,
      now,
    )!
    db.exec(
      "INSERT INTO jobs (name, args, run_at, created_at, lane) VALUES ('transfer.export_project', ?, ?, ?, 'outside')",
      JSON.stringify({ export_id: row.id }),
      now,
      now,
    )
    w.ctx().events.wakeJobRunner()
    await w.drain()
    expect(db.one('SELECT state, step FROM exports WHERE id = ?', row.id)).toEqual({
      state: 'finished',
      step: null,
    })
  })

  it('fail if no job runs them, and archives without a row are deleted', async () => {
    const { db, now } = w.ctx()
    const [file] = files()
    const { reconcileProjectExports } = await import('../../../../server/domains/import_export/jobs.ts')
    const row = db.one<{ id: number }>(
      "INSERT INTO exports (project_id, state, created_at, updated_at) VALUES (?, 'started', ?, ?) RETURNING id",
      project.id,
      now,
      now,
    )!
    expect(await status()).toBe('regeneration_in_progress')
    const orphan = join(w.dataDir, 'exports', 'projects', 'orphan.tar.gz')
    writeFileSync(orphan, '')
    await reconcileProjectExports(w.ctx())
    expect(files()).toEqual([file])
    expect(db.one('SELECT state, error FROM exports WHERE id = ?', row.id)).toEqual({
      state: 'failed',
      error: 'The export was cut off.',
    })
    expect(await status()).toBe('finished')
    rmSync(join(w.dataDir, 'exports', 'projects', file!))
    await reconcileProjectExports(w.ctx())
    expect(await status()).toBe('none')
    await w.as(maintainer).post(at('export'))
    await w.drain()
  })

  it('can be canceled while they run', async () => {
    const { runExport } = await import('../../../../server/domains/import_export/projects/export/make.ts')
    const { db, now } = w.ctx()
    const row = db.one<{ id: number }>(
      'INSERT INTO exports (project_id, user_id, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING id',
      project.id,
      maintainer.id,
      now,
      now,
    )!
    const ended = runExport(w.ctx(), row.id).catch((error: Error) => error.message)
    expect((await w.as(maintainer).post(`/-/projects/${project.id}/export/cancel`)).status).toBe(202)
    expect(await ended).toBe('The work was canceled.')
    expect(db.one('SELECT state, file FROM exports WHERE id = ?', row.id)).toEqual({
      state: 'canceled',
      file: null,
    })
    expect(readdirSync(join(w.dataDir, 'tmp')).filter((name) => name.startsWith('project-export'))).toEqual(
      [],
    )
    expect(files()).toHaveLength(1)
  })

  it('expire after a day', async () => {
    clock.advance(24 * 3_600_000 - 60_000)
    expect(await status()).toBe('finished')
    clock.advance(120_000)
    expect(await status()).toBe('none')
    expect((await w.as(maintainer).get(at('export/download'))).status).toBe(404)
    w.ctx().events.wakeJobRunner()
    await w.drain()
    const { expireProjectExports } = await import('../../../../server/domains/import_export/jobs.ts')
    await expireProjectExports(w.ctx())
    expect(files()).toEqual([])
  })

  it('are uploaded on request, and not kept', async () => {
    for (const http_method of [undefined, 'POST'] as const) {
      const upload = { url: address, ...(http_method ? { http_method } : {}) }
      expect((await w.as(maintainer).post(at('export'), { upload })).status).toBe(202)
      await w.drain()
      const request = received.at(-1)!
      expect(request.method).toBe(http_method ?? 'PUT')
      expect(request.headers).toMatchObject({
        'content-type': 'application/gzip',
        'content-length': String(request.body.length),
      })
      const archive = await unpacked(request.body)
      expect(archive.names).toContain('project.bundle')
      archive.remove()
      expect(await status()).toBe('none')
      expect(files()).toEqual([])
      expect(lastMail().text).toContain('the archive was sent to 127.0.0.1')
      expect(lastMail().text).not.toContain('signature')
    }
    expect(received).toHaveLength(2)
  })

  it('can be downloaded if the upload fails', async () => {
    answers = 403
    await w.as(maintainer).post(at('export'), { upload: { url: address } })
    await w.drain()
    expect(await status()).toBe('finished')
    const sentence = 'The archive was refused: the receiver answered 403.'
    expect(lastMail()).toMatchObject({ subject: `${project.name} | Project export error` })
    expect(lastMail().text).toContain(sentence)
    const progress = await w.as(maintainer).get(`/-/projects/${project.id}/export_progress`)
    expect(progress.body).toMatchObject({ status: 'finished', error: sentence })
    await settings({ silent_mode_enabled: true })
    const before = received.length
    await w.as(maintainer).post(at('export'), { upload: { url: address } })
    await w.drain()
    expect(received).toHaveLength(before)
    await settings({ silent_mode_enabled: false })
    const stored = w.ctx().db.many<{ upload_url: string | null }>('SELECT upload_url FROM exports')
    expect(stored.every(({ upload_url }) => upload_url === null)).toBe(true)
  })

  it.each([
    [
      { url: 'ftp://example.test/x' },
      { message: { url: ['is blocked: Only allowed schemes are http, https'] } },
    ],
    [{ url: 'nothing' }, { message: { url: ['is blocked: URI is invalid'] } }],
    [{ http_method: 'PUT' }, { error: 'upload[url] is missing' }],
    [
      { url: 'http://example.test', http_method: 'DELETE' },
      { error: 'upload[http_method] does not have a valid value' },
    ],
  ])('are refused with the upload %j', async (upload, body) => {
    expect(await w.as(maintainer).post(at('export'), { upload })).toMatchObject({ status: 400, body })
  })

  it('are not sent to the local network unless it is allowed', async () => {
    await settings({ allow_local_requests_from_web_hooks_and_services: false })
    expect(await w.as(maintainer).post(at('export'), { upload: { url: address } })).toMatchObject({
      status: 400,
      body: { message: { url: ['is blocked: Requests to the local network are not allowed'] } },
    })
  })

  it('are refused if the project is larger than the settings allow', async () => {
    await settings({ max_export_size: 1 })
    w.ctx().db.exec('UPDATE projects SET lfs_objects_size = ? WHERE id = ?', 1024 * 1024 + 1, project.id)
    expect(await w.as(maintainer).post(at('export'))).toMatchObject({
      status: 400,
      body: { message: 'The project size exceeds the export limit.' },
    })
    w.ctx().db.exec('UPDATE projects SET lfs_objects_size = 0 WHERE id = ?', project.id)
    await settings({ max_export_size: 0 })
  })

  it('have rate limits in the settings', async () => {
    const busy = { message: { error: 'This endpoint has been requested too many times. Try again later.' } }
    await settings({ project_export_limit: 1, project_download_export_limit: 1 })
    expect((await w.as(w.root).post(at('export'))).status).toBe(202)
    expect(await w.as(w.root).post(at('export'))).toMatchObject({ status: 429, body: busy })
    await w.drain()
    expect((await w.as(w.root).get(at('export/download'))).status).toBe(200)
    expect(await w.as(w.root).get(at('export/download'))).toMatchObject({ status: 429, body: busy })
    await settings({ project_export_limit: 0, project_download_export_limit: 0 })
  })

  it('return 404 if the settings disable them', async () => {
    await settings({ project_export_enabled: false })
    for (const answer of [
      await w.as(w.root).post(at('export')),
      await w.as(w.root).get(at('export')),
      await w.as(w.root).get(at('export/download')),
    ])
      expect(answer).toMatchObject({ status: 404, body: { message: '404 Not Found' } })
    await settings({ project_export_enabled: true })
  })

  it('fail with a message, and leave no files', async () => {
    const other = await w.make.project()
    await w.drain()
    // No archive can be written to this folder.
    const folder = join(w.dataDir, 'exports', 'projects')
    rmSync(folder, { recursive: true, force: true })
    writeFileSync(folder, '')
    await w.as(w.root).post(`/projects/${other.id}/export`)
    await w.drain()
    rmSync(folder)
    const { body } = await w.as(w.root).get(`/-/projects/${other.id}/export_progress`)
    expect(body).toMatchObject({ status: 'none', error: 'The project could not be exported.' })
    expect(lastMail().text).toContain("couldn't be exported")
    expect(readdirSync(join(w.dataDir, 'tmp')).filter((name) => name.startsWith('project-export'))).toEqual(
      [],
    )
  })

  it('are deleted with the project', async () => {
    const other = await w.make.project()
    const archive = await unpacked(await exported(w, w.root, other.id))
    expect(archive.names).not.toContain('project.bundle')
    archive.remove()
    const file = files().find((name) => name.startsWith(`${other.id}-`))!
    expect((await w.as(w.root).delete(`/projects/${other.id}`)).status).toBe(202)
    await w.drain()
    expect(existsSync(join(w.dataDir, 'exports', 'projects', file))).toBe(false)
  })
})
