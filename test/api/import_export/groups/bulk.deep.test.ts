import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { TestUser, World } from '../../../support/world.ts'
import { fill, onDisk } from '../../repository/fill.ts'
import { listRefs } from '../../../../server/git/write/refs.ts'
import { twoInstances, type TwoInstances } from './two-instances.ts'

let two: TwoInstances
let there: World
let here: World
let owner: TestUser
let team: { id: number }
let app: { id: number }
let token: string

beforeAll(async () => {
  two = await twoInstances()
  ;({ there, here } = two)
  const root = there.as(there.root)
  owner = there.make.user({ username: 'ann' })
  here.make.user({ username: 'ann' })
  there.ctx().db.exec("UPDATE users SET public_email = email WHERE username = 'ann'")
  team = await there.make.group({ path: 'team', name: 'The team', visibility: 'public', description: 'Us' })
  const inner = await there.make.group({ path: 'inner', parent_id: team.id, visibility: 'public' })
  await there.make.member('groups', team.id, owner, 40)
  await root.post(`/groups/${team.id}/labels`, { name: 'bug', color: '#ff0000' })
  await root.post(`/groups/${team.id}/milestones`, { title: 'One' })
  await root.post(`/groups/${team.id}/wikis`, { title: 'Home', content: 'Hello' })
  app = await there.make.project({ name: 'app', namespace_id: inner.id, visibility: 'public' })
  fill(there, app, [{ files: { 'a.txt': 'one\n' } }, { branch: 'side', files: { 'b.txt': 'two\n' } }])
  await root.post(`/projects/${app.id}/issues`, { title: 'Broken', description: 'Very', labels: 'bug' })
  await root.post(`/projects/${app.id}/issues/1/notes`, { body: 'Indeed' })
  await root.post(`/projects/${app.id}/merge_requests`, {
    source_branch: 'side',
    target_branch: 'main',
    title: 'Side into main',
  })
  const form = new FormData()
  form.set('file', new Blob(['some notes']), 'notes.txt')
  await root.post(`/projects/${app.id}/uploads`, form)
  await root.post(`/projects/${app.id}/wikis`, { title: 'Home', content: 'Pages of the app' })
  await there.drain()
  token = there.root.token
})

const entity = (more: object = {}) => ({
  source_type: 'group_entity',
  source_full_path: 'team',
  destination_slug: 'team',
  destination_namespace: '',
  ...more,
})

async function ask(
  entities: object[],
  configuration: object = { url: there.url, access_token: token },
  user = here.root,
) {
  two.pass(60_000)
  return here.as(user).post('/bulk_imports', { configuration, entities })
}

async function entitiesOf(id: number) {
  const { body } = await here.as(here.root).get(`/bulk_imports/${id}/entities?sort=asc`)
  return body as {
    id: number
    status: string
    destination_full_path: string
    failures: object[]
    stats: object
  }[]
}

describe('a migration of a group from another instance', () => {
  it('copies its groups, projects, code, wikis, issues and merge requests', { timeout: 60_000 }, async () => {
    const answer = await ask([entity()])
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        status: 'created',
        source_type: 'gitlab',
        source_url: there.url,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        has_failures: false,
      },
    ])
    const { id } = answer.body
    expect(
      here.ctx().db.one<{ access_token: string }>('SELECT access_token FROM bulk_imports WHERE id = ?', id)!
        .access_token,
    ).not.toContain(token)
    await two.settle()
    const entities = await entitiesOf(id)
    expect(entities.map((entity) => [entity.destination_full_path, entity.status, entity.failures])).toEqual([
      ['team', 'finished', []],
      ['team/inner', 'finished', []],
      ['team/inner/app', 'finished', []],
    ])
    expect(entities[0]!.stats).toMatchObject({ labels: { source: 1, fetched: 1, imported: 1 } })
    expect(entities[2]!.stats).toMatchObject({ issues: { source: 1, fetched: 1, imported: 1 } })
    const root = here.as(here.root)
    expect((await root.get(`/bulk_imports/${id}`)).body).toMatchObject({
      status: 'finished',
      has_failures: false,
    })
    expect((await root.get('/groups/team')).body).toMatchObject({
      name: 'The team',
      description: 'Us',
      visibility: 'public',
    })
    expect((await root.get('/groups/team/labels')).body).toMatchObject([{ name: 'bug' }])
    const members = (await root.get('/groups/team/members')).body
    expect(
      members.map((member: { username: string; access_level: number }) => [
        member.username,
        member.access_level,
      ]),
    ).toEqual([
      ['root', 50],
      ['ann', 40],
    ])
    expect((await root.get('/groups/team/wikis/Home')).body).toMatchObject({ content: 'Hello' })
    const at = '/projects/team%2Finner%2Fapp'
    expect((await root.get(at)).body).toMatchObject({
      visibility: 'public',
      import_status: 'finished',
      import_type: 'gitlab_project_migration',
    })
    expect((await root.get(`${at}/issues`)).body).toMatchObject([
      { iid: 1, title: 'Broken', description: 'Very', labels: ['bug'] },
    ])
    expect((await root.get(`${at}/issues/1/notes`)).body).toMatchObject([{ body: 'Indeed' }])
    expect((await root.get(`${at}/merge_requests`)).body).toMatchObject([{ iid: 1, source_branch: 'side' }])
    expect((await root.get(`${at}/wikis/Home`)).body).toMatchObject({ content: 'Pages of the app' })
    expect((await root.get(`${at}/repository/tree?ref=side`)).body).toMatchObject([{ name: 'b.txt' }])
    const made = (await root.get(at)).body as { id: number }
    const [old, now] = await Promise.all(
      [onDisk(there, app), onDisk(here, made)].map((repo) => listRefs(repo, 'refs/heads/')),
    )
    expect(now).toEqual(old)
    // The token was deleted after its only use.
    expect(
      here.ctx().db.one<{ access_token: null }>('SELECT access_token FROM bulk_imports WHERE id = ?', id)!
        .access_token,
    ).toBeNull()
  })

  it('fails with a message if the path is taken', async () => {
    const { body } = await ask([entity()])
    await two.settle()
    const [first] = await entitiesOf(body.id)
    expect(first).toMatchObject({
      status: 'failed',
      has_failures: true,
      failures: [{ relation: 'group', exception_message: expect.stringContaining('has already been taken') }],
    })
    expect((await here.as(here.root).get(`/bulk_imports/${body.id}`)).body).toMatchObject({
      status: 'failed',
    })
    const failures = await here.as(here.root).get(`/bulk_imports/${body.id}/entities/${first!.id}/failures`)
    expect([failures.status, failures.body]).toEqual([200, [expect.objectContaining({ step: 'begin' })]])
  })

  it('leaves out projects and members on request', async () => {
    const wish = { destination_slug: 'slim', migrate_projects: false, migrate_memberships: false }
    const { body } = await ask([entity(wish)])
    await two.settle()
    expect((await entitiesOf(body.id)).map((entity) => entity.destination_full_path)).toEqual([
      'slim',
      'slim/inner',
    ])
    expect((await here.as(here.root).get('/groups/slim/members')).body).toHaveLength(1)
  })

  it('can be canceled by the user who started it', async () => {
    const { body } = await ask([entity({ destination_slug: 'never' })])
    const stranger = here.make.user()
    expect((await here.as(stranger).post(`/bulk_imports/${body.id}/cancel`)).status).toBe(403)
    expect((await here.as(stranger).get(`/bulk_imports/${body.id}`)).status).toBe(404)
    const canceled = await here.as(here.root).post(`/bulk_imports/${body.id}/cancel`)
    expect([canceled.status, canceled.body.status]).toEqual([200, 'canceled'])
    await two.settle()
    expect((await entitiesOf(body.id)).map(({ status }) => status)).toEqual(['canceled'])
    expect((await here.as(here.root).get('/groups/never/subgroups')).body).not.toMatchObject([{}])
    expect((await here.as(here.root).post('/bulk_imports/99999/cancel')).status).toBe(404)
  })

  it('can copy a single project, also into a personal namespace', async () => {
    const wish = {
      source_type: 'project_entity',
      source_full_path: 'team/inner/app',
      destination_slug: 'mine',
      destination_namespace: 'root',
    }
    const { body } = await ask([wish])
    await two.settle()
    expect(await entitiesOf(body.id)).toMatchObject([
      { status: 'finished', destination_full_path: 'root/mine', entity_type: 'project' },
    ])
    expect((await here.as(here.root).get('/projects/root%2Fmine')).body).toMatchObject({ name: 'app' })
  })
})

describe('a request for a migration', () => {
  const MESSAGE = (answer: { status: number; body: { message?: string; error?: string } }) => [
    answer.status,
    answer.body.message ?? answer.body.error,
  ]

  it.each([
    [
      { source_full_path: 'http://x.example/team' },
      'entities[0][source_full_path] must be a relative path and not include protocol, sub-domain, or domain information.',
    ],
    [{ destination_namespace: 'dest?nation' }, 'entities[0][destination_namespace] must be a relative path'],
    [
      { destination_slug: 'des?tin' },
      'entities[0][destination_slug] can only include non-accented letters, digits',
    ],
    [
      { destination_name: 'both' },
      'entities[0][destination_slug], entities[0][destination_name] are mutually exclusive',
    ],
    [
      { destination_slug: undefined },
      'entities[0][destination_slug], entities[0][destination_name] are missing, at least one parameter must be provided',
    ],
    [{ source_type: 'other' }, 'entities[0][source_type] does not have a valid value'],
  ])('is refused with %j', async (wish, sentence) => {
    expect(MESSAGE(await ask([entity(wish)]))).toEqual([400, expect.stringContaining(sentence)])
  })

  it('is refused if the source or the target does not allow it', async () => {
    const cases: [object, object | undefined, string][] = [
      [{ source_full_path: 'nothing' }, undefined, "Import failed. 'nothing' not found."],
      [
        { destination_namespace: 'nowhere' },
        undefined,
        "Import failed. Destination 'nowhere' is invalid, or you don't have permission.",
      ],
      [
        {},
        { url: there.url, access_token: 'wrong' },
        "Personal access token does not have the required 'api' scope or is no longer valid.",
      ],
      [
        {},
        { url: there.url, access_token: there.make.user().token },
        "Import failed. You don't have permission to export 'team'.",
      ],
      [
        {},
        { url: 'http://127.0.0.1:1', access_token: token },
        'Import failed. 127.0.0.1:1 could not be reached.',
      ],
    ]
    for (const [wish, configuration, sentence] of cases)
      expect(MESSAGE(await ask([entity({ destination_slug: 'x', ...wish })], configuration))).toEqual([
        422,
        sentence,
      ])
    expect(MESSAGE(await ask([entity()], { url: 'ftp://x', access_token: 'x' }))).toEqual([
      400,
      'configuration[url] is invalid',
    ])
    expect(MESSAGE(await ask([entity()], { url: there.url }))).toEqual([
      400,
      'configuration[access_token] is missing',
    ])
    expect((await here.as(null).get('/bulk_imports')).status).toBe(401)
  })

  it('returns 404 unless bulk_import_enabled is on', async () => {
    const root = here.as(here.root)
    await root.put('/application/settings', { bulk_import_enabled: false })
    expect(MESSAGE(await ask([entity()]))).toEqual([404, '404 Not Found'])
    for (const path of ['', '/1', '/1/entities', '/entities', '/1/entities/1', '/1/entities/1/failures'])
      expect((await root.get(`/bulk_imports${path}`)).status).toBe(404)
    expect((await root.post('/bulk_imports/1/cancel')).status).toBe(404)
    await root.put('/application/settings', { bulk_import_enabled: true })
    await there.as(there.root).put('/application/settings', { bulk_import_enabled: false })
    expect(MESSAGE(await ask([entity({ destination_slug: 'x' })]))).toEqual([
      422,
      expect.stringContaining('Migration by direct transfer disabled on source or destination instance.'),
    ])
    await there.as(there.root).put('/application/settings', { bulk_import_enabled: true })
  })

  it('can be prepared with a list of the groups of the source', async () => {
    const list = (source_token: string, url = there.url) =>
      here.as(here.root).post('/-/bulk_imports/source_groups', { url, source_token })
    expect((await list(token)).body).toEqual({
      groups: [{ id: team.id, name: 'The team', path: 'team', full_path: 'team', visibility: 'public' }],
      more: false,
    })
    expect(MESSAGE(await list('wrong'))).toEqual([422, 'The access token is not valid there.'])
    expect(MESSAGE(await list(token, 'no address'))).toEqual([400, 'configuration[url] is invalid'])
  })

  it("is in the caller's list, filtered by status", async () => {
    const root = here.as(here.root)
    const all = await root.get('/bulk_imports')
    expect(all.body.map((migration: { id: number }) => migration.id)).toEqual(
      all.body.map((migration: { id: number }) => migration.id).toSorted((a: number, b: number) => b - a),
    )
    const failed = await root.get('/bulk_imports?status=failed')
    expect(failed.body.map((migration: { status: string }) => migration.status)).toEqual(['failed'])
    expect((await root.get('/bulk_imports/entities?status=canceled')).body).toMatchObject([
      { destination_slug: 'never' },
    ])
    expect((await here.as(here.make.user()).get('/bulk_imports/entities')).body).toEqual([])
    expect((await root.get('/bulk_imports?status=no')).status).toBe(400)
  })
})

describe('a faulty source', () => {
  let server: Server
  let url: string
  /** The source's responses, by method and path. */
  let answers: (
    path: string,
  ) => { status?: number; headers?: Record<string, string>; body?: unknown } | undefined
  const requests: string[] = []

  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = (request.url ?? '').replace('/api/v4', '')
      requests.push(`${request.method} ${path}`)
      const found = answers(path) ?? { status: 404, body: { message: '404 Not Found' } }
      response.writeHead(found.status ?? 200, { 'content-type': 'application/json', ...found.headers })
      response.end(typeof found.body === 'string' ? found.body : JSON.stringify(found.body ?? {}))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  const group = { id: 7, name: 'Odd', path: 'odd', full_path: 'odd', visibility: 'public' }
  const good = (
    path: string,
  ): { status?: number; headers?: Record<string, string>; body?: unknown } | undefined => {
    if (path === '/version') return { body: { version: '16.0.0' } }
    if (path.startsWith('/groups/odd?') || path.startsWith('/groups/7?')) return { body: group }
    if (path.endsWith('/export_relations')) return { status: 202, body: { message: '202 Accepted' } }
    if (path.endsWith('/status')) return { body: [] }
    return undefined
  }
  const odd = (slug: string) => entity({ source_full_path: 'odd', destination_slug: slug })
  const at = () => ({ url, access_token: 'x' })

  it('is refused if its version is too old, it redirects, or it sends no JSON', async () => {
    answers = () => ({ body: { version: '13.9.1' } })
    expect((await ask([odd('a')], at())).body.message).toContain('Unsupported')
    answers = () => ({ status: 302, headers: { location: 'http://169.254.169.254/' } })
    expect((await ask([odd('a')], at())).body.message).toContain('led to another address')
    answers = () => ({ body: 'not json' })
    expect((await ask([odd('a')], at())).body.message).toContain('an unexpected answer')
  })

  it('with a rate limit gets the next request after the delay that it requires', async () => {
    let refusals = 2
    answers = (path) =>
      path.endsWith('/export_relations') && refusals-- > 0
        ? { status: 429, headers: { 'retry-after': '90' } }
        : good(path)
    const { body } = await ask([odd('slow')], at())
    await here.drain()
    const count = () => requests.filter((request) => request.startsWith('POST')).length
    const before = count()
    two.pass(80_000)
    await here.drain()
    expect(count()).toBe(before)
    two.pass(11_000)
    await here.drain()
    expect(count()).toBe(before + 1)
    await here.as(here.root).post(`/bulk_imports/${body.id}/cancel`)
  })

  it('that does not finish its export makes the migration fail after a day', async () => {
    answers = good
    const { body } = await ask([odd('never-ready')], at())
    await here.drain()
    two.pass(25 * 3600 * 1000)
    await two.settle()
    expect(await entitiesOf(body.id)).toMatchObject([{ status: 'timeout' }])
    expect((await here.as(here.root).get(`/bulk_imports/${body.id}`)).body.status).toBe('timeout')
  })

  it('is imported without files that are larger than bulk_import_max_download_file_size', async () => {
    await here.as(here.root).put('/application/settings', { bulk_import_max_download_file_size: 1 })
    answers = (path) => {
      if (path.endsWith('/status')) return { body: [{ relation: 'labels', status: 1, error: null }] }
      if (path.includes('/download?')) return { body: 'x'.repeat(1_100_000) }
      if (/\/(subgroups|projects)/.test(path)) return { body: [] }
      return good(path)
    }
    const { body } = await ask([odd('large')], at())
    await here.drain()
    two.pass(61_000)
    await two.settle()
    expect(await entitiesOf(body.id)).toMatchObject([
      {
        status: 'finished',
        failures: [
          {
            relation: 'labels',
            exception_message: 'A file of the other instance is larger than the settings here allow.',
          },
        ],
      },
    ])
    await here.as(here.root).put('/application/settings', { bulk_import_max_download_file_size: 5120 })
  })

  it('is imported without damaged files', async () => {
    answers = (path) => {
      if (path.endsWith('/status'))
        return {
          body: [
            { relation: 'labels', status: 1, error: null },
            { relation: 'milestones', status: -1, error: 'It broke' },
            { relation: 'strange', status: 0, error: null },
          ],
        }
      if (path.includes('/download?')) return { body: 'no gzip' }
      if (/\/(subgroups|projects)/.test(path)) return { body: [] }
      return good(path)
    }
    const { body } = await ask([odd('damaged')], at())
    await here.drain()
    two.pass(61_000)
    await two.settle()
    expect(await entitiesOf(body.id)).toMatchObject([
      {
        status: 'finished',
        has_failures: true,
        failures: [
          { relation: 'labels', exception_message: 'A file of the other instance is damaged.' },
          { relation: 'milestones', exception_message: 'It broke' },
        ],
      },
    ])
    expect((await here.as(here.root).get(`/bulk_imports/${body.id}`)).body).toMatchObject({
      status: 'finished',
      has_failures: true,
    })
  })
})

describe('an interrupted migration', () => {
  it('continues, and creates no record twice', { timeout: 60_000 }, async () => {
    const { body } = await ask([entity({ destination_slug: 'cut', migrate_projects: false })])
    await two.settle()
    const { db } = here.ctx()
    const [first] = await entitiesOf(body.id)
    // Writes the state that a kill during the import of the records leaves.
    db.exec(
      'UPDATE bulk_imports SET status = 1, access_token = ? WHERE id = ?',
      here.ctx().secrets.seal(token, 'bulk_imports.access_token'),
      body.id,
    )
    db.exec(`UPDATE bulk_import_entities SET status = 1, cursor = '{"step":"take"}' WHERE id = ?`, first!.id)
    db.exec(
      "UPDATE jobs SET state = 'ready' WHERE id = (SELECT max(id) FROM jobs WHERE name = 'group_transfer.bulk_entity' AND args = ?)",
      `{"entity_id":${first!.id}}`,
    )
    here.ctx().events.wakeJobRunner()
    await two.settle()
    expect(await entitiesOf(body.id)).toMatchObject([{ status: 'finished' }, { status: 'finished' }])
    const root = here.as(here.root)
    expect((await root.get('/groups/cut/labels')).body).toHaveLength(1)
    expect((await root.get('/groups/cut/milestones')).body).toHaveLength(1)
    expect((await root.get('/groups/cut/subgroups')).body).toHaveLength(1)
    expect((await root.get(`/bulk_imports/${body.id}`)).body.status).toBe('finished')
  })
})
