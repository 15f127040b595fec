import { gunzipSync } from 'node:zlib'

import { beforeAll, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../../server/lib/clock.ts'
import { world, type TestUser, type World } from '../../../support/world.ts'
import { fill } from '../../repository/fill.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
let w: World
let owner: TestUser
let reader: TestUser
let group: { id: number }
let project: { id: number }

beforeAll(async () => {
  w = await world({ clock })
  owner = w.make.user()
  reader = w.make.user()
  await w.as(w.root).put('/application/settings', { bulk_import_enabled: true })
  group = await w.make.group({ owner, path: 'g', visibility: 'public' })
  project = await w.make.project({ owner, namespace_id: group.id, path: 'p', visibility: 'public' })
  await w.make.member('groups', group.id, reader, 20)
  fill(w, project, [{ files: { 'a.txt': 'one\n' } }])
  const root = w.as(w.root)
  for (const name of ['one', 'two', 'three'])
    await root.post(`/groups/${group.id}/labels`, { name, color: '#112233' })
  await root.post(`/projects/${project.id}/issues`, { title: 'First', labels: 'one' })
  const form = new FormData()
  form.set('file', new Blob(['some notes']), 'notes.txt')
  await root.post(`/projects/${project.id}/uploads`, form)
  await w.drain()
})

async function download(path: string, query: string) {
  const url = `${w.url}/api/v4${path}/export_relations/download?${query}`
  const answer = await fetch(url, { headers: { 'private-token': owner.token } })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, name: answer.headers.get('content-disposition'), bytes }
}
const textOf = async (path: string, query: string) =>
  gunzipSync((await download(path, query)).bytes).toString()
const records = async (path: string, query: string) =>
  (await textOf(path, query))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

describe('relations of a project', () => {
  const at = '/projects/g%2Fp'

  it('are exported as files, each of which can be downloaded when it is finished', async () => {
    const client = w.as(owner)
    expect((await client.get(`${at}/export_relations/status`)).body).toEqual([])
    const begun = await client.post(`${at}/export_relations`)
    expect([begun.status, begun.body]).toEqual([202, { message: '202 Accepted' }])
    const early = await client.get(`${at}/export_relations/status?relation=issues`)
    expect(early.body).toMatchObject([{ relation: 'issues', status: 0 }])
    await w.drain()
    const { body } = await client.get(`${at}/export_relations/status`)
    expect(body.filter((relation: { status: number }) => relation.status !== 1)).toEqual([])
    expect(body.map((relation: { relation: string }) => relation.relation)).toEqual(
      expect.arrayContaining([
        'issues',
        'labels',
        'merge_requests',
        'uploads',
        'repository',
        'lfs_objects',
        'self',
      ]),
    )
    expect(body.find((relation: { relation: string }) => relation.relation === 'issues')).toEqual({
      relation: 'issues',
      status: 1,
      error: null,
      updated_at: expect.any(String),
      batched: false,
      batches_count: 0,
      total_objects_count: 1,
      batches: [],
    })
    expect(await records(at, 'relation=issues')).toMatchObject([{ iid: 1, title: 'First' }])
    expect((await download(at, 'relation=issues')).name).toBe('attachment; filename="issues.ndjson.gz"')
    expect(JSON.parse(await textOf(at, 'relation=self'))).toMatchObject({ visibility_level: 20 })
    expect(await textOf(at, 'relation=uploads')).toContain('notes.txt')
    expect(await textOf(at, 'relation=repository')).toContain('# v2 git bundle')
  })

  it('return an error for other users, unknown relations, and when exports are disabled', async () => {
    const client = w.as(owner)
    expect((await client.get(`${at}/export_relations/download`)).body).toEqual({
      error: 'relation is missing',
    })
    expect((await client.get(`${at}/export_relations/download?relation=nothing`)).body).toEqual({
      message: '404 Not found',
    })
    expect((await w.as(reader).post(`${at}/export_relations`)).status).toBe(403)
    expect((await w.as(reader).get(`${at}/export_relations/status`)).status).toBe(403)
    expect((await w.as(null).post(`${at}/export_relations`)).status).toBe(401)
    await w.as(w.root).put('/application/settings', { bulk_import_enabled: false })
    for (const path of ['status', 'download?relation=issues'])
      expect((await client.get(`${at}/export_relations/${path}`)).body).toEqual({ message: '404 Not Found' })
    await w.as(w.root).put('/application/settings', { bulk_import_enabled: true })
  })
})

describe('relations of a group', () => {
  const at = '/groups/g'

  it('are split into batches on request', async () => {
    const client = w.as(owner)
    await client.post(`${at}/export_relations`, { batched: true })
    await w.drain()
    const { body } = await client.get(`${at}/export_relations/status?relation=labels`)
    expect(body).toMatchObject([
      {
        batched: true,
        batches_count: 1,
        total_objects_count: 3,
        batches: [{ status: 1, batch_number: 1, objects_count: 3, error: null }],
      },
    ])
    expect(await records(at, 'relation=labels&batched=true&batch_number=1')).toHaveLength(3)
    const get = async (query: string) => {
      const answer = await client.get(`${at}/export_relations/download?${query}`)
      return [answer.status, answer.body.message ?? answer.body.error]
    }
    expect(await get('relation=labels&batched=true&batch_number=2')).toEqual([404, 'Batch not found'])
    expect(await get('relation=labels')).toEqual([400, 'Export is batched'])
    expect((await get('relation=labels&batched=true'))[0]).toBe(400)
    expect((await w.as(reader).post(`${at}/export_relations`)).status).toBe(403)
  })

  it('are exported again on the next request, and are deleted after three days', async () => {
    const client = w.as(owner)
    await client.post(`${at}/export_relations`)
    await w.drain()
    expect(await records(at, 'relation=members')).toMatchObject([{ access_level: 50 }, { access_level: 20 }])
    expect(JSON.parse(await textOf(at, 'relation=self'))).toMatchObject({ path: 'g' })
    const both = w.ctx().db.one<{ n: number }>('SELECT count(*) AS n FROM relation_exports')!
    expect(both.n).toBeGreaterThan(10)
    clock.advance(4 * 24 * 3600 * 1000)
    await w.drain()
    expect((await client.get(`${at}/export_relations/status`)).body).toEqual([])
    expect((await download(at, 'relation=members')).status).toBe(404)
  })
})
