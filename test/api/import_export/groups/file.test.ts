import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { unpackArchive, writeArchive } from '../../../../server/domains/import_export/index.ts'
import { frozenClock } from '../../../../server/lib/clock.ts'
import { world, type TestUser, type World } from '../../../support/world.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
const minute = (): void => clock.advance(60_000)
let w: World
let here: string
let owner: TestUser
let friend: TestUser
let top: { id: number; full_path: string }
let below: { id: number }
let archive: Buffer

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

beforeAll(async () => {
  here = mkdtempSync(join(tmpdir(), 'deskforge-groups-'))
  w = await world({ clock })
  owner = w.make.user({ username: 'owner' })
  friend = w.make.user({ username: 'friend' })
  w.ctx().db.exec("UPDATE users SET public_email = email WHERE username IN ('owner', 'friend')")
  const root = w.as(w.root)
  top = await w.make.group({ owner, path: 'top', description: 'All of us', visibility: 'public' })
  below = await w.make.group({ owner, path: 'below', parent_id: top.id, visibility: 'internal' })
  await w.make.member('groups', top.id, friend, 30)
  await root.post(`/groups/${top.id}/labels`, { name: 'bug', color: '#ff0000', description: 'Wrong' })
  await root.post(`/groups/${below.id}/labels`, { name: 'idea', color: '#00ff00' })
  await root.post(`/groups/${top.id}/milestones`, { title: 'One', due_date: '2026-05-01' })
  const board = (await root.post(`/groups/${top.id}/boards`, { name: 'Work' })).body
  const label = (await root.get(`/groups/${top.id}/labels/bug`)).body
  await root.post(`/groups/${top.id}/boards/${board.id}/lists`, { label_id: label.id })
  await root.post(`/groups/${top.id}/wikis`, { title: 'Home', content: 'Hello' })
  await root.put(`/groups/${top.id}`, { prevent_forking_outside_group: true, request_access_enabled: false })
  const form = new FormData()
  form.set('avatar', new Blob([PNG]), 'face.png')
  await root.put(`/groups/${top.id}`, form)
  await w.drain()
})
afterAll(() => rmSync(here, { recursive: true, force: true }))

async function exported(group = 'top', user = owner): Promise<Buffer> {
  minute()
  expect((await w.as(user).post(`/groups/${group}/export`)).body).toEqual({ message: '202 Accepted' })
  await w.drain()
  minute()
  const answer = await fetch(`${w.url}/api/v4/groups/${group}/export/download`, {
    headers: { 'private-token': user.token },
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/gzip'])
  return Buffer.from(await answer.arrayBuffer())
}

let folders = 0
async function unpacked(bytes: Buffer): Promise<string> {
  const folder = join(here, `unpacked-${++folders}`)
  writeFileSync(`${folder}.tar.gz`, bytes)
  await unpackArchive(`${folder}.tar.gz`, folder, { maxBytes: 0, timeoutMs: 0 })
  return folder
}

const lines = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

function formOf(bytes: Buffer, fields: Record<string, string>): FormData {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bytes)]), 'group.tar.gz')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

async function imported(bytes: Buffer, path: string, user = w.root, more: Record<string, string> = {}) {
  minute()
  const answer = await w.as(user).post('/groups/import', formOf(bytes, { name: path, path, ...more }))
  expect([answer.status, answer.text]).toEqual([202, '{"message":"202 Accepted"}'])
  await w.drain()
  const full = more['parent_id'] ? `top%2F${path}` : path
  return (await w.as(w.root).get(`/-/groups/${full}/import_progress`)).body
}

describe('the archive of a group', () => {
  beforeAll(async () => {
    archive = await exported()
  })

  it("has the layout of GitLab's archives", async () => {
    const folder = await unpacked(archive)
    expect(readdirSync(folder, { recursive: true }).map(String).toSorted()).toEqual(
      expect.arrayContaining([
        'VERSION',
        `tree/groups/${top.id}.json`,
        `tree/groups/${top.id}/boards.ndjson`,
        `tree/groups/${top.id}/labels.ndjson`,
        `tree/groups/${top.id}/members.ndjson`,
        `tree/groups/${top.id}/milestones.ndjson`,
        `tree/groups/${top.id}/namespace_settings.ndjson`,
        `repositories/${top.id}.wiki.bundle`,
      ]),
    )
    expect(readFileSync(join(folder, 'VERSION'), 'utf8')).toBe('0.2.4')
    expect(lines(join(folder, 'tree/groups/_all.ndjson'))).toEqual([top.id, below.id])
    const attributes = JSON.parse(readFileSync(join(folder, `tree/groups/${top.id}.json`), 'utf8'))
    expect(attributes).toMatchObject({
      id: top.id,
      path: 'top',
      description: 'All of us',
      visibility_level: 20,
      request_access_enabled: false,
    })
    for (const secret of ['owner_id', 'created_at', 'runners_token', 'shared_runners_minutes_limit'])
      expect(attributes).not.toHaveProperty(secret)
    const members = lines(join(folder, `tree/groups/${top.id}/members.ndjson`))
    expect(
      members.map((member) => [member.access_level, member.user.username, member.user.public_email]),
    ).toEqual([
      [50, 'owner', 'owner@example.test'],
      [30, 'friend', 'friend@example.test'],
    ])
    expect(lines(join(folder, `tree/groups/${top.id}/boards.ndjson`))[0].lists[0]).toMatchObject({
      list_type: 'label',
      label: { title: 'bug' },
    })
  })

  it('is imported under another name: groups, settings, labels, boards, milestones, members, wiki, picture', async () => {
    expect(await imported(archive, 'again')).toMatchObject({
      status: 'finished',
      error: null,
      failures_count: 0,
      full_path: 'again',
    })
    const root = w.as(w.root)
    const { body } = await root.get('/groups/again')
    expect(body).toMatchObject({
      visibility: 'private',
      description: 'All of us',
      request_access_enabled: false,
      prevent_forking_outside_group: true,
      avatar_url: expect.stringContaining('face.png'),
    })
    expect((await root.get('/groups/again%2Fbelow')).body).toMatchObject({ visibility: 'private' })
    const labels = (await root.get('/groups/again/labels')).body
    expect(labels).toMatchObject([{ name: 'bug', color: '#ff0000', description: 'Wrong' }])
    expect((await root.get('/groups/again/boards')).body).toMatchObject([
      { name: 'Work', lists: [{ label: { name: 'bug', id: labels[0].id } }] },
    ])
    expect((await root.get('/groups/again/milestones')).body).toMatchObject([
      { title: 'One', iid: 1, due_date: '2026-05-01' },
    ])
    const people = (await root.get('/groups/again/members')).body
    expect(
      people.map((person: { username: string; access_level: number }) => [
        person.username,
        person.access_level,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['root', 50],
        ['owner', 50],
        ['friend', 30],
      ]),
    )
    expect((await root.get('/groups/again/wikis/Home')).body).toMatchObject({ content: 'Hello' })
    // The next IID is free.
    expect((await root.post('/groups/again/milestones', { title: 'Two' })).body.iid).toBe(2)
    // The archive is deleted after the import.
    expect(readdirSync(join(w.dataDir, 'imports', 'groups'))).toEqual([])
  })

  it('has the same content when the imported group is exported', async () => {
    const [before, after] = [await unpacked(archive), await unpacked(await exported('again', w.root))]
    const [, oldBelow] = lines(join(before, 'tree/groups/_all.ndjson'))
    const [newTop, newBelow] = lines(join(after, 'tree/groups/_all.ndjson'))
    const records = (folder: string, id: number, relation: string) =>
      lines(join(folder, `tree/groups/${id}/${relation}.ndjson`)).map((record) =>
        JSON.stringify(record, (key, value) =>
          /(^|_)(id|at)$/.test(key) || (relation === 'milestones' && record.title === 'Two')
            ? undefined
            : value,
        ),
      )
    for (const relation of ['labels', 'boards', 'namespace_settings'])
      expect(records(after, newTop, relation)).toEqual(records(before, top.id, relation))
    expect(records(after, newBelow, 'labels')).toEqual(records(before, oldBelow, 'labels'))
  })

  it('of a user who is not an administrator names no other authors, and is imported below a group of this user', async () => {
    const progress = await imported(archive, 'mine', owner, { parent_id: String(top.id) })
    expect(progress).toMatchObject({ status: 'finished', full_path: 'top/mine' })
    const { body } = await w.as(owner).get('/groups/top%2Fmine/members')
    expect(body.map((member: { username: string }) => member.username)).toEqual(['owner'])
  })

  it('can be downloaded by owners for a day', async () => {
    await exported()
    const download = '/groups/top/export/download'
    minute()
    expect((await w.as(friend).get(download)).status).toBe(403)
    expect((await w.as(friend).post('/groups/top/export')).status).toBe(403)
    expect((await w.as(null).post('/groups/top/export')).status).toBe(401)
    const { body } = await w.as(owner).get('/-/groups/top/export_progress')
    expect(body).toMatchObject({
      status: 'finished',
      file_name: expect.stringMatching(/^2026-03-01_.*_top_export\.tar\.gz$/),
      size: expect.any(Number),
    })
    expect(readdirSync(join(w.dataDir, 'exports', 'groups'))).toHaveLength(2)
    clock.advance(25 * 3600 * 1000)
    await w.drain()
    const expired = await w.as(owner).get(download)
    expect([expired.status, expired.body]).toEqual([404, { message: '404 Not found or has expired' }])
    expect(readdirSync(join(w.dataDir, 'exports', 'groups'))).toEqual([])
  })

  it('can be canceled while it is written', async () => {
    minute()
    await w.as(owner).post('/groups/top/export')
    expect((await w.as(owner).post('/-/groups/top/export/cancel')).status).toBe(202)
    await w.drain()
    expect((await w.as(owner).get('/-/groups/top/export_progress')).body.status).toBe('canceled')
    expect((await w.as(owner).post('/-/groups/top/export/cancel')).status).toBe(409)
  })
})

describe('importing a group', () => {
  async function packed(files: Record<string, string>): Promise<Buffer> {
    const file = join(here, `packed-${++folders}.tar.gz`)
    await writeArchive(
      file,
      Object.entries(files).map(([name, bytes]) => ({ name, bytes })),
    )
    return readFileSync(file)
  }
  const attributes = (id: number, more: object = {}) =>
    JSON.stringify({ id, name: `g${id}`, path: `g${id}`, parent_id: null, ...more })
  const VERSION = '0.2.4'

  it('refuses taken names, users without access, and requests without a file', async () => {
    const send = (user: TestUser | null, form: FormData) => {
      minute()
      return w.as(user).post('/groups/import', form)
    }
    const taken = await send(w.root, formOf(archive, { name: 'top', path: 'top' }))
    expect([taken.status, taken.body.message]).toEqual([
      400,
      'Failed to save group {:path=>["has already been taken"]}',
    ])
    const inner = await send(
      owner,
      formOf(archive, { name: 'below', path: 'below', parent_id: String(top.id) }),
    )
    expect([inner.status, inner.body.message]).toEqual([
      400,
      expect.stringContaining('has already been taken'),
    ])
    expect((await send(null, formOf(archive, { name: 'x', path: 'x' }))).status).toBe(401)
    const form = new FormData()
    form.set('name', 'x')
    form.set('path', 'x')
    expect((await send(owner, form)).body).toEqual({ error: 'file is missing' })
    const stranger = formOf(archive, { name: 'y', path: 'y', parent_id: String(top.id) })
    expect((await send(friend, stranger)).status).toBe(403)
    expect((await send(friend, formOf(archive, { name: 'z', path: 'z', parent_id: '99999' }))).status).toBe(
      404,
    )
  })

  it.each<[string, () => Promise<Buffer> | Buffer, string]>([
    ['no archive at all', () => Buffer.from('hello'), 'The file is not a gzip archive.'],
    ['one that is cut off', () => archive.subarray(0, 600), 'The archive is cut off.'],
    [
      'one without a version',
      () => packed({ 'x.json': '1' }),
      'The archive does not contain its layout version; it is not an export.',
    ],
    [
      'one of another layout',
      () => packed({ VERSION: '0.1.0' }),
      'Import version mismatch: Required 0.2.4 but was 0.1.0',
    ],
    [
      'one of a project',
      () => packed({ VERSION, 'tree/project.json': '{}' }),
      'This is the archive of a project, not of a group.',
    ],
    [
      'one without attributes',
      () => packed({ VERSION, 'tree/groups/_all.ndjson': '7\n' }),
      'The attributes of a group in the archive are missing or damaged.',
    ],
    [
      'one with a subgroup that cannot be',
      () =>
        packed({
          VERSION,
          'tree/groups/_all.ndjson': '7\n8\n',
          'tree/groups/7.json': attributes(7),
          'tree/groups/8.json': attributes(8, { parent_id: 7, path: '../x' }),
        }),
      'Failed to save group',
    ],
  ])('with %s fails with a message, and leaves an empty group', async (name, made, sentence) => {
    const path = `bad${++folders}`
    const progress = await imported(await made(), path)
    expect([name, progress.status, progress.error]).toEqual([
      name,
      'failed',
      expect.stringContaining(sentence),
    ])
    expect((await w.as(w.root).get(`/groups/${path}/subgroups`)).body).toEqual([])
    expect((await w.as(w.root).get(`/groups/${path}/labels`)).body).toEqual([])
    expect(readdirSync(join(w.dataDir, 'tmp')).filter((name) => name.startsWith('group-'))).toEqual([])
  })

  it('skips invalid records, and reports them', async () => {
    const bytes = await packed({
      VERSION,
      'tree/groups/_all.ndjson': '7\n',
      'tree/groups/7.json': attributes(7),
      'tree/groups/7/labels.ndjson': '{"title":"good","color":"#123456"}\n{"title":\n{"title":""}\n',
    })
    const progress = await imported(bytes, 'broken')
    expect(progress).toMatchObject({ status: 'finished', failures_count: 2 })
    expect(
      progress.failures.map((failure: { relation_name: string; line_number: number }) => [
        failure.relation_name,
        failure.line_number,
      ]),
    ).toEqual([
      ['labels', 2],
      ['labels', 3],
    ])
    expect((await w.as(w.root).get('/groups/broken/labels')).body).toMatchObject([{ name: 'good' }])
  })

  it('starts again after an interruption', async () => {
    minute()
    await w.as(w.root).post('/groups/import', formOf(archive, { name: 'twice', path: 'twice' }))
    await w.drain()
    const { id } = (await w.as(w.root).get('/groups/twice')).body
    const { db } = w.ctx()
    // Writes the state that a kill leaves: a partly filled group, and a job that is due.
    writeFileSync(join(w.dataDir, 'imports', 'groups', `${id}.tar.gz`), archive)
    db.exec("UPDATE group_imports SET state = 'started', file = ? WHERE group_id = ?", `${id}.tar.gz`, id)
    db.exec(
      "UPDATE jobs SET state = 'ready' WHERE name = 'group_transfer.import' AND args = ?",
      `{"group_id":${id}}`,
    )
    w.ctx().events.wakeJobRunner()
    await w.drain()
    expect((await w.as(w.root).get('/-/groups/twice/import_progress')).body.status).toBe('finished')
    expect((await w.as(w.root).get('/groups/twice/labels')).body).toHaveLength(1)
    expect((await w.as(w.root).get('/groups/twice/subgroups')).body).toHaveLength(1)
  })
})
