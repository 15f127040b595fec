import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../../server/lib/clock.ts'
import { world, type Answer, type TestUser, type World } from '../../../support/world.ts'
import { archiveOf, importForm } from '../../import_export/projects/archive-of.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
const TOO_MANY = { message: { error: 'This endpoint has been requested too many times. Try again later.' } }
let w: World
let ann: TestUser
let ben: TestUser
let project: { id: number }
let group: { id: number }
let archive: Buffer
let count = 0

/** A host that serves archives of the size in the path. */
const server = createServer((request, response) => {
  const length = Number(request.url!.slice(1))
  response.writeHead(200, { 'content-type': 'application/gzip', 'content-length': length })
  if (request.method === 'HEAD') response.end()
  else response.end(archive.subarray(0, length))
})

beforeAll(async () => {
  w = await world({ clock })
  ann = w.make.user()
  ben = w.make.user()
  archive = await archiveOf({ zeros: Buffer.alloc(2 * 1024 * 1024) })
  project = await w.make.project({ owner: ann, with: 'readme' })
  group = await w.make.group({ owner: ann })
  await w.make.member('projects', project.id, ben, 40)
  await w.make.member('groups', group.id, ben, 50)
  for (const kind of ['projects', 'groups'])
    await w.as(w.root).post(`/${kind}/${kind === 'groups' ? group.id : project.id}/export`)
  await w.drain()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void server.close())
afterEach(() => {
  w.ctx().db.exec("UPDATE application_settings SET changes = '{}'")
  // Rate windows start every ten minutes.
  clock.advance(600_000 - (clock.now() % 600_000))
})
const set = async (changes: object) => {
  const { status, text } = await w.as(w.root).put('/application/settings', changes)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
}
const importing = (user: TestUser | null, bytes = archive, path = `made-${++count}`) =>
  w.as(user).post('/projects/import', importForm(bytes, { path }))
const importingGroup = (user: TestUser | null, bytes = archive, path = `many-${++count}`) =>
  w.as(user).post('/groups/import', importForm(bytes, { path, name: `Many ${count}` }))

const rows = [
  {
    setting: 'project_export_limit',
    good: 202,
    ask: (user: TestUser | null) => w.as(user).post(`/projects/${project.id}/export`),
  },
  {
    setting: 'project_download_export_limit',
    good: 200,
    ask: (user: TestUser | null) => w.as(user).get(`/projects/${project.id}/export/download`),
  },
  // Refused imports count, too.
  {
    setting: 'project_import_limit',
    good: 400,
    ask: (user: TestUser | null) => importing(user, archive, '-'),
  },
  {
    setting: 'group_export_limit',
    good: 202,
    ask: (user: TestUser | null) => w.as(user).post(`/groups/${group.id}/export`),
  },
  {
    setting: 'group_download_export_limit',
    good: 200,
    ask: (user: TestUser | null) => w.as(user).get(`/groups/${group.id}/export/download`),
  },
  {
    setting: 'group_import_limit',
    good: 400,
    ask: (user: TestUser | null) => importingGroup(user, archive, '-'),
  },
]

const times = async (n: number, ask: () => Promise<Answer>): Promise<number[]> => {
  const found: number[] = []
  for (let at = 0; at < n; at++) found.push((await ask()).status)
  return found
}

describe('a rate limit per user', () => {
  it.each(rows)('$setting', async ({ setting, ask, good }) => {
    await set({ [setting]: 2 })
    expect(await times(2, () => ask(ann))).toEqual([good, good])
    const refused = await ask(ann)
    expect([refused.status, refused.body]).toEqual([429, TOO_MANY])
    expect((await ask(ben)).status).toBe(good)
    clock.advance(59_000)
    expect((await ask(ann)).status).toBe(429)
    clock.advance(1000)
    expect((await ask(ann)).status).toBe(good)
    await set({ [setting]: 0 })
    expect(await times(3, () => ask(ann))).toEqual([good, good, good])
  })

  it('counts all ways to import a project together', async () => {
    await set({ project_import_limit: 1 })
    const { status } = await w.as(ann).post('/projects/remote-import', { url: 'nowhere', path: 'x' })
    expect([status, (await importing(ann)).status]).toEqual([400, 429])
  })
})

describe('exports', () => {
  it('project_export_enabled: return 404 if they are disabled', async () => {
    await set({ project_export_enabled: false })
    const at = `/projects/${project.id}/export`
    for (const answer of [
      await w.as(ann).post(at),
      await w.as(ann).get(at),
      await w.as(ann).get(`${at}/download`),
    ])
      expect([answer.status, answer.body]).toEqual([404, { message: '404 Not Found' }])
    await set({ project_export_enabled: true })
    expect((await w.as(ann).get(at)).status).toBe(200)
  })

  it('max_export_size: are refused for larger projects', async () => {
    const { db } = w.ctx()
    db.exec('UPDATE projects SET repository_size = ? WHERE id = ?', 3 * 1024 * 1024, project.id)
    await set({ max_export_size: 2 })
    const { status, body } = await w.as(ann).post(`/projects/${project.id}/export`)
    expect([status, body]).toEqual([400, { message: 'The project size exceeds the export limit.' }])
    await set({ max_export_size: 3 })
    expect((await w.as(ann).post(`/projects/${project.id}/export`)).status).toBe(202)
  })
})

describe('imports', () => {
  const noise = () => {
    const bytes = Buffer.alloc(1024 * 1024 + 10)
    return Buffer.concat([Buffer.from([0x1f, 0x8b]), bytes])
  }

  it('max_import_size: are refused for larger files', async () => {
    await set({ max_import_size: 1 })
    expect((await importing(ann, noise())).status).toBe(413)
    expect((await importingGroup(ann, noise())).status).toBe(413)
    await set({ max_import_size: 2 })
    expect((await importing(ann, noise())).status).toBe(201)
    await set({ max_import_size: 0 })
    expect((await importing(ann, noise())).status).toBe(201)
    await w.drain()
  })

  it('max_import_remote_file_size: are refused for larger remote files', async () => {
    const { port } = server.address() as AddressInfo
    const ask = (length: number) =>
      w.as(ben).post('/projects/remote-import', {
        url: `http://127.0.0.1:${port}/${length}`,
        path: `far-${++count}`,
      })
    const local = { allow_local_requests_from_web_hooks_and_services: true, project_import_limit: 0 }
    await set({ ...local, max_import_remote_file_size: 5 })
    const { status, body } = await ask(5 * 1024 * 1024 + 1)
    expect([status, body]).toEqual([400, { message: 'Content length is too big (should be at most 5 MB)' }])
    expect((await ask(archive.length)).status).toBe(201)
    await set({ max_import_remote_file_size: 0 })
    // The contract also has a fixed limit.
    expect((await ask(10 * 1024 ** 3 + 1)).body.message).toContain('at most 10 GB')
    await w.drain()
  })

  it('max_decompressed_archive_size: fail for archives with a larger content', async () => {
    const status = async (): Promise<string> => {
      const { body } = await importing(ann)
      await w.drain()
      return (await w.as(ann).get(`/projects/${body.id}/import`)).body.import_status
    }
    await set({ max_decompressed_archive_size: 1 })
    expect(await status()).toBe('failed')
    await set({ max_decompressed_archive_size: 3 })
    expect(await status()).toBe('finished')
  })
})
