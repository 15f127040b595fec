import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { archiveOf, importForm } from './archive-of.ts'

const { as, root, make, drain, ctx, dataDir } = await world()
await as(root).put('/application/settings', { project_import_limit: 0 })
const ada = make.user({ username: 'ada' })
const dev = make.user({ username: 'dev' })
const guest = make.user({ username: 'guest' })
const archive = await archiveOf()
const group = await make.group({ owner: ada, path: 'tools', name: 'Tools', visibility: 'internal' })
await make.member('groups', group.id, dev, 30)
await make.member('groups', group.id, guest, 10)
await make.group({ owner: ada, path: 'hidden', name: 'Hidden', visibility: 'private' })

type Fields = Record<string, string>
const importing = (fields: Fields, user: typeof ada | null = ada, headers: Fields = {}) =>
  as(user).post('/projects/import', importForm(archive, fields), headers)
const statusOf = async (id: number, user: typeof ada | null = ada) =>
  (await as(user).get(`/projects/${id}/import`)).body

describe('POST /projects/import', () => {
  it('creates a project that is filled in the background', async () => {
    const { status, body } = await importing({ path: 'one' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: body.id,
      description: null,
      name: 'one',
      name_with_namespace: 'ADA / one',
      path: 'one',
      path_with_namespace: 'ada/one',
      created_at: expect.any(String),
      import_status: 'scheduled',
      import_type: 'gitlab_project',
      correlation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      failed_relations: [],
      import_error: null,
      stats: null,
    })
    // Other users cannot see the project before it is filled.
    expect((await statusOf(body.id, null)).message).toBe('404 Project Not Found')
    await drain()
    expect(await statusOf(body.id)).toMatchObject({
      import_status: 'finished',
      import_error: null,
      correlation_id: body.correlation_id,
    })
    expect(readdirSync(join(dataDir, 'imports'))).toEqual([])
    // The project has the visibility of the archive.
    expect(await statusOf(body.id, null)).toMatchObject({
      import_status: 'finished',
      description: 'From far away',
    })
  })

  it('imports into the namespace with the given ID or path, under the given name', async () => {
    const byPath = await importing({ path: 'two', name: 'Number Two', namespace: 'tools' }, dev)
    const byId = await importing({ path: 'three', namespace: String(group.id) }, dev)
    expect([byPath.body.name_with_namespace, byPath.body.path_with_namespace]).toEqual([
      'Tools / Number Two',
      'tools/two',
    ])
    expect(byId.body.path_with_namespace).toBe('tools/three')
    await drain()
    // The visibility is at most that of the group.
    expect((await as(ada).get(`/projects/${byId.body.id}`)).body.visibility).toBe('internal')
  })

  it('creates a private project if the visibility of the archive is restricted', async () => {
    await as(root).put('/application/settings', { restricted_visibility_levels: ['public'] })
    const { body } = await importing({ path: 'restricted' })
    await drain()
    expect((await as(ada).get(`/projects/${body.id}`)).body.visibility).toBe('private')
    await as(root).put('/application/settings', { restricted_visibility_levels: [] })
  })

  const refused: [string, Fields, typeof ada | null, number, object][] = [
    ['nobody', { path: 'x' }, null, 401, { message: '401 Unauthorized' }],
    ['no path', {}, ada, 400, { error: 'path is missing' }],
    ['a taken path', { path: 'one', name: 'Other' }, ada, 400, { message: 'Path has already been taken' }],
    ['a taken name', { path: 'other', name: 'ONE' }, ada, 400, { message: 'Name has already been taken' }],
    [
      'a bad path',
      { path: 'a b', name: 'a' },
      ada,
      400,
      {
        message:
          "Path can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'",
      },
    ],
    [
      'a bad name',
      { path: 'ok', name: '<b>' },
      ada,
      400,
      {
        message:
          "Name can contain only letters, digits, emojis, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'.",
      },
    ],
    ['an empty path', { path: '', name: 'x' }, ada, 400, { message: "Path can't be blank" }],
    ['a way upwards', { path: '../x', name: 'x' }, ada, 400, { message: expect.stringMatching(/^Path /) }],
    [
      'no such namespace',
      { path: 'x', namespace: 'nowhere' },
      ada,
      404,
      { message: '404 Namespace Not Found' },
    ],
    [
      'a namespace that is not seen',
      { path: 'x', namespace: 'hidden' },
      dev,
      404,
      { message: '404 Namespace Not Found' },
    ],
    [
      'a namespace of others',
      { path: 'x', namespace: 'ada' },
      dev,
      404,
      { message: '404 Namespace Not Found' },
    ],
    [
      'a group without the right',
      { path: 'x', namespace: 'tools' },
      guest,
      400,
      { message: 'You are not allowed to import projects in this namespace.' },
    ],
    [
      'a setting that cannot be',
      { path: 'x', 'override_params[visibility]': 'open' },
      ada,
      400,
      { error: 'override_params[visibility] does not have a valid value' },
    ],
    [
      'a wider visibility than the group has',
      { path: 'x', namespace: 'tools', 'override_params[visibility]': 'public' },
      ada,
      400,
      { message: { visibility_level: ['public is not allowed in a internal group.'] } },
    ],
    [
      'a branch that cannot be',
      { path: 'x', 'override_params[default_branch]': 'a..b' },
      ada,
      400,
      { message: 'Default branch is not a valid branch name' },
    ],
  ]
  it.each(refused)('refuses %s, and keeps nothing', async (_name, fields, user, status, expected) => {
    const before = ctx().db.one('SELECT count(*) AS n FROM projects')
    const answer = await importing(fields, user)
    expect([answer.status, answer.body]).toEqual([status, expected])
    expect(ctx().db.one('SELECT count(*) AS n FROM projects')).toEqual(before)
    expect(readdirSync(join(dataDir, 'imports'))).toEqual([])
    // The file of an upload is deleted after its request has ended.
    await expect.poll(() => readdirSync(join(dataDir, 'tmp'))).toEqual([])
  })

  it('refuses other files than archives', async () => {
    const text = await as(ada).post('/projects/import', importForm(Buffer.from('hello'), { path: 'x' }))
    expect([text.status, text.body]).toEqual([400, { error: 'file is invalid' }])
    const none = await as(ada).post('/projects/import', { path: 'x', file: '/etc/passwd' })
    expect([none.status, none.body]).toEqual([400, { error: 'file is invalid' }])
    const missing = await as(ada).post('/projects/import', { path: 'x' })
    expect([missing.status, missing.body]).toEqual([400, { error: 'file is missing' }])
  })
})

describe('imports of archives', () => {
  it('are refused before anything is stored if the source is disabled, on every endpoint', async () => {
    await as(root).put('/application/settings', { import_sources: ['git'] })
    const forbidden = { message: '403 Forbidden' }
    const far = { path: 'x', url: 'https://example.test/a.tar.gz' }
    const object = {
      region: 'a',
      bucket_name: 'abc',
      file_key: 'x',
      access_key_id: 'x',
      secret_access_key: 'x',
    }
    for (const answer of [
      await importing({ path: 'x' }),
      await as(ada).post('/projects/remote-import', far),
      await as(ada).post('/projects/remote-import-s3', { ...object, path: 'x' }),
      await as(ada).post(
        '/projects/import-relation',
        importForm(archive, { path: 'ada/one', relation: 'issues' }),
      ),
    ])
      expect([answer.status, answer.body]).toEqual([403, forbidden])
    expect(readdirSync(join(dataDir, 'tmp'))).toEqual([])
    await as(root).put('/application/settings', { import_sources: ['git', 'gitlab_project'] })
  })

  it('require a token that may write', async () => {
    const reader = { ...ada, token: make.token(ada, ['read_api']) }
    const { status, body } = await importing({ path: 'x' }, reader)
    expect([status, body.error]).toEqual([403, 'insufficient_scope'])
  })
})

describe('settings that override the archive', () => {
  it('are applied at the end', async () => {
    const { body } = await importing({
      path: 'mine',
      'override_params[description]': 'My own *words*',
      'override_params[visibility]': 'internal',
      'override_params[issues_access_level]': 'disabled',
      'override_params[topics]': 'a,b',
      'override_params[wiki_enabled]': 'false',
    })
    await drain()
    const { body: project } = await as(ada).get(`/projects/${body.id}`)
    expect(project).toMatchObject({
      import_status: 'finished',
      description: 'My own *words*',
      visibility: 'internal',
      issues_access_level: 'disabled',
      wiki_access_level: 'disabled',
      topics: ['a', 'b'],
    })
  })
})

describe('overwrite', () => {
  it('replaces the project after a successful import', async () => {
    const old = await make.project({ owner: ada, namespace_id: group.id, name: 'Old', path: 'old' })
    await make.member('projects', old.id, guest, 20)
    await as(guest).post(`/projects/${old.id}/star`)
    const mine = await importing({ path: 'old', namespace: 'tools', name: 'Old', overwrite: 'true' })
    expect(mine.status).toBe(201)
    expect(mine.body.path_with_namespace).toMatch(/^tools\/old-import-[0-9a-f]{8}$/)
    expect((await as(ada).get('/projects/tools%2Fold')).body.id).toBe(old.id)
    await drain()
    const { body: now } = await as(ada).get('/projects/tools%2Fold')
    expect(now).toMatchObject({ id: mine.body.id, name: 'Old', star_count: 1, import_status: 'finished' })
    expect((await as(ada).get(`/projects/${old.id}`)).status).toBe(404)
    expect((await as(guest).get(`/projects/${mine.body.id}/members/${guest.id}`)).body.access_level).toBe(20)
  })

  it('keeps the project if the import fails', async () => {
    const old = await make.project({ owner: ada, name: 'Kept', path: 'kept' })
    const bad = importForm(await archiveOf({ VERSION: null, x: { type: 'symlink', linkname: '/etc' } }), {
      path: 'kept',
      overwrite: 'true',
    })
    const { body } = await as(ada).post('/projects/import', bad)
    await drain()
    expect((await statusOf(body.id)).import_status).toBe('failed')
    expect((await as(ada).get('/projects/ada%2Fkept')).body.id).toBe(old.id)
  })

  it('is limited to owners of the namespace', async () => {
    await make.project({ owner: ada, namespace_id: group.id, name: 'Theirs', path: 'theirs' })
    const { status, body } = await importing({ path: 'theirs', namespace: 'tools', overwrite: 'true' }, dev)
    expect([status, body]).toEqual([
      400,
      { message: 'You are not allowed to import projects in this namespace.' },
    ])
    const { body: none } = await importing({ path: 'brand-new', namespace: 'tools', overwrite: 'true' }, dev)
    expect(none.path_with_namespace).toBe('tools/brand-new')
    await drain()
  })
})

describe('access tokens of groups', () => {
  it('import into the group, and never into the namespace of the bot', async () => {
    const { body: made } = await as(ada).post(`/groups/${group.id}/access_tokens`, {
      name: 'importer',
      scopes: ['api'],
      access_level: 40,
      expires_at: '2099-01-01',
    })
    const bot = { ...ada, token: made.token as string }
    const none = await importing({ path: 'by-bot' }, bot)
    expect([none.status, none.body]).toEqual([404, { message: '404 Namespace Not Found' }])
    const own = ctx().db.one<{ username: string }>('SELECT username FROM users WHERE id = ?', made.user_id)!
    const named = await importing({ path: 'by-bot', namespace: own.username }, bot)
    expect([400, 404]).toContain(named.status)
    const { status, body } = await importing({ path: 'by-bot', namespace: 'tools' }, bot)
    expect([status, body.path_with_namespace]).toEqual([201, 'tools/by-bot'])
    await drain()
    expect((await statusOf(body.id, bot)).import_status).toBe('finished')
  })
})

describe('the reason of a failure', () => {
  it('is shown to maintainers; others get the contact', async () => {
    const bad = importForm(await archiveOf({ VERSION: null, x: { type: 'symlink', linkname: '/etc' } }), {
      path: 'broken',
      namespace: 'tools',
    })
    const { body } = await as(ada).post('/projects/import', bad)
    await drain()
    expect((await statusOf(body.id, ada)).import_error).toMatch(/\w/)
    expect((await statusOf(body.id, dev)).import_error).toBe(
      'Ask a maintainer to check the import status for more details.',
    )
    expect((await as(dev).get(`/-/projects/${body.id}/import_progress`)).body).toMatchObject({
      import_error: null,
      can_retry: false,
      can_cancel: false,
    })
    for (const action of ['cancel', 'retry'])
      expect((await as(dev).post(`/-/projects/${body.id}/import/${action}`)).status).toBe(403)
    expect((await as(dev).get(`/-/projects/${body.id}/import_failures`)).status).toBe(403)
  })
})
