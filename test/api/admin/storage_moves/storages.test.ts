import { Gitlab } from '@gitbeaker/rest'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { tempDir } from '../../../support/git.ts'
import { world } from '../../../support/world.ts'
import { watchEvents } from '../../repository/fill.ts'

const started = tempDir()
const here = tempDir()
const instance = await world({ storages: { started } })
const { as, make, root, drain, dataDir } = instance
const admin = as(root)
const person = make.user()
const PATH = '/-/admin/storages'
/** A folder that cannot be created. Linux reports a missing parent for this path, although the parent exists. */
const noFolders = process.platform === 'linux' ? '/proc/deskforge' : join(here, 'file', 'below')
const list = async (): Promise<Record<string, unknown>[]> => (await admin.get(PATH)).body

describe('repository storages', () => {
  it('are listed with their content', async () => {
    await make.project({ owner: person, with: 'readme' })
    await as(person).post('/snippets', { title: 'One', files: [{ file_path: 'a', content: 'a' }] })
    await drain()
    const [first, second, ...others] = await list()
    expect(first).toEqual({
      name: 'default',
      folder: join(dataDir, 'repositories'),
      origin: 'built_in',
      weight: 100,
      projects: { count: 1, bytes: expect.any(Number) },
      snippets: { count: 1, bytes: expect.any(Number) },
      group_wikis: { count: 0, bytes: 0 },
      free_bytes: expect.any(Number),
      total_bytes: expect.any(Number),
    })
    expect(second).toMatchObject({ name: 'started', folder: started, origin: 'started', weight: 0 })
    expect(others).toEqual([])
  })

  it('are added by administrators, used, and removed when they are empty', async () => {
    const received = watchEvents(instance, 'storage.changed')
    const folder = join(here, 'new', 'one')
    const added = await admin.post(PATH, { name: 'new-one', folder })
    expect([added.status, added.body.name, added.body.origin]).toEqual([201, 'new-one', 'added'])
    expect(existsSync(folder)).toBe(true)
    const weights = { repository_storages_weighted: { 'new-one': 100, default: 0 } }
    expect((await admin.put('/application/settings', weights)).status).toBe(200)
    const project = await make.project({ owner: person, with: 'readme' })
    expect((await admin.get(`/projects/${project.id}`)).body.repository_storage).toBe('new-one')
    expect((await list()).find((storage) => storage['name'] === 'new-one')).toMatchObject({
      weight: 100,
      projects: { count: 1 },
    })

    const used = await admin.delete(`${PATH}/new-one`)
    expect([used.status, used.body.message]).toEqual([
      409,
      'This storage has repositories. Move them to another storage first.',
    ])
    await admin.put('/application/settings', { repository_storages_weighted: { default: 100 } })
    await drain()
    const move = { destination_storage_name: 'default' }
    await admin.post(`/projects/${project.id}/repository_storage_moves`, move)
    await drain()
    expect((await admin.delete(`${PATH}/new-one`)).status).toBe(204)
    expect((await list()).map((storage) => storage['name'])).toEqual(['default', 'started'])
    expect(received).toEqual([
      { name: 'new-one', action: 'added', actor_id: root.id },
      { name: 'new-one', action: 'removed', actor_id: root.id },
    ])
  })

  it.each([
    [
      'a name with a slash',
      { name: 'a/b' },
      { name: ["can contain only letters, digits, '_', '-' and '.'"] },
    ],
    ['dots', { name: '..' }, { name: ["can contain only letters, digits, '_', '-' and '.'"] }],
    ['a name that is there', { name: 'default' }, { name: ['has already been taken'] }],
    ['the name of a start option', { name: 'started' }, { name: ['has already been taken'] }],
    ['a relative path', { folder: 'below' }, { folder: ['must be an absolute path'] }],
    [
      'the folder of another storage',
      { folder: started },
      { folder: ['is in a folder that the instance uses for other data'] },
    ],
    [
      'a folder in another storage',
      { folder: join(started, 'below', '..', 'inside') },
      { folder: ['is in a folder that the instance uses for other data'] },
    ],
    [
      'a folder among the uploads',
      { folder: join(dataDir, 'uploads', 'x') },
      { folder: ['is in a folder that the instance uses for other data'] },
    ],
    [
      'a folder around others',
      { folder: dataDir },
      { folder: ['contains a folder that the instance uses for other data'] },
    ],
    ['a file', { folder: join(here, 'file') }, { folder: ['cannot be created'] }],
    ['a path where the system creates no folders', { folder: noFolders }, { folder: ['cannot be created'] }],
    ['a folder with other files', { folder: here }, { folder: ['already contains other files'] }],
    [
      'a link into another storage',
      { folder: join(here, 'link') },
      { folder: ['is in a folder that the instance uses for other data'] },
    ],
  ])('cannot be %s', async (_what, params, message) => {
    writeFileSync(join(here, 'file'), '')
    if (!existsSync(join(here, 'link'))) {
      mkdirSync(join(started, 'linked'), { recursive: true })
      symlinkSync(join(started, 'linked'), join(here, 'link'))
    }
    const { status, body } = await admin.post(PATH, { name: 'other', folder: join(here, 'other'), ...params })
    expect([status, body]).toEqual([400, { message }])
  })

  it('require both parameters', async () => {
    const { status, body } = await admin.post(PATH, {})
    expect([status, body]).toEqual([400, { error: 'name is missing, folder is missing' }])
  })

  it('cannot be removed while they are in use', async () => {
    expect((await admin.delete(`${PATH}/default`)).body.message).toBe(
      'The storage "default" cannot be removed.',
    )
    expect((await admin.delete(`${PATH}/started`)).status).toBe(409)
    expect((await admin.delete(`${PATH}/nowhere`)).body).toEqual({ message: '404 Storage Not Found' })
  })

  it('are limited to administrators', async () => {
    for (const [client, status] of [
      [as(person), 403],
      [as(null), 401],
    ] as const) {
      expect((await client.get(PATH)).status).toBe(status)
      expect((await client.post(PATH, { name: 'x', folder: '/x' })).status).toBe(status)
      expect((await client.delete(`${PATH}/started`)).status).toBe(status)
      expect((await client.get('/-/admin/storage_moves')).status).toBe(status)
    }
  })

  it('list the moves of all kinds together', async () => {
    const { body } = await admin.get('/-/admin/storage_moves')
    expect(body).toMatchObject([
      { kind: 'project', state: 'finished', source_storage_name: 'new-one', error_message: null },
    ])
    expect(body[0].bytes_done).toBe(body[0].bytes_total)
    expect((await admin.get('/-/admin/storage_moves?state=open')).body).toEqual([])
    expect((await admin.get('/-/admin/storage_moves?state=failed')).body).toEqual([])
  })
})

it('Gitbeaker moves one project, and then all others', async () => {
  // oxlint-disable-next-line typescript/no-explicit-any
  const api: any = new Gitlab({ host: instance.url, token: root.token })
  const first = await make.project({ with: 'readme' })
  // A job that still reads the repository would delay the removal of the old copy.
  await drain()
  const moves = api.ProjectRepositoryStorageMoves
  const params = { projectId: first.id, destinationStorageName: 'started' }
  const move = await moves.schedule('default', params)
  expect(move).toMatchObject({
    state: 'scheduled',
    source_storage_name: 'default',
    project: { id: first.id },
  })
  await drain()
  expect(await moves.show(move.id)).toMatchObject({ state: 'finished', destination_storage_name: 'started' })
  expect(await moves.show(move.id, { projectId: first.id })).toMatchObject({ id: move.id })

  await moves.schedule('default', { destinationStorageName: 'started' })
  await drain()
  const all: { state: string; project: { id: number } }[] = await moves.all()
  expect(all.map(({ state }) => state)).toEqual(all.map(() => 'finished'))
  expect((await admin.get('/projects?repository_storage=default')).body).toEqual([])
  expect(await moves.all({ projectId: first.id })).toHaveLength(1)
})
