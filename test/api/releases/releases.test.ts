import { beforeAll, describe, expect, it, vi } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { shell } from '../../support/git.ts'
import { world, type TestUser } from '../../support/world.ts'
import { fill, watchEvents, onDisk } from '../repository/fill.ts'

const NOW = '2026-11-22T09:00:00.000Z'
const clock = frozenClock(NOW)
const here = await world({ clock })
const { as, make } = here
const root = as(here.root)
let developer: TestUser
let reporter: TestUser
let guest: TestUser
let stranger: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let group: any
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let ids: string[]
let at: string
let web: string

beforeAll(async () => {
  developer = make.user({ username: 'developer' })
  reporter = make.user({ username: 'reporter' })
  guest = make.user({ username: 'guest' })
  stranger = make.user({ username: 'stranger' })
  group = await make.group({ visibility: 'public' })
  project = await make.project({ namespace_id: group.id, visibility: 'private' })
  await make.member('projects', project.id, developer, 30)
  await make.member('projects', project.id, reporter, 20)
  await make.member('projects', project.id, guest, 10)
  ids = fill(here, project, [{ files: { a: '1' } }, { files: { a: '2' } }])
  shell(onDisk(here, project), ['tag', 'v1.0', ids[0]!])
  at = `/projects/${project.id}/releases`
  web = `${here.url}/${project.path_with_namespace}`
})

// oxlint-disable-next-line typescript/no-explicit-any
const tags = (body: any[]) => body.map((release) => release.tag_name)
const dropped = (tag: string) => root.delete(`${at}/${encodeURIComponent(tag)}`)

describe('a release', () => {
  it('is created for a tag, and has all its fields', async () => {
    const received = watchEvents(here, 'release.created')
    const milestone = (
      await root.post(`/projects/${project.id}/milestones`, { title: 'First', due_date: '2026-12-01' })
    ).body
    await root.post(`/groups/${group.id}/milestones`, { title: 'Company, all', due_date: '2026-11-30' })
    await root.post(`/projects/${project.id}/issues`, { title: 'x', milestone_id: milestone.id })
    const made = await as(developer).post(at, {
      tag_name: 'v1.0',
      description: 'For **all**',
      milestones: ['First', 'Company, all'],
      assets: {
        links: [
          {
            name: 'Tool',
            url: 'https://files.example.test/tool',
            filepath: '/bin/tool',
            link_type: 'package',
          },
          { name: 'Notes', url: `${web}/-/wikis/x` },
        ],
      },
    })
    expect([made.status, made.body.tag_name, made.body.author.id]).toEqual([201, 'v1.0', developer.id])
    await here.drain()
    const self = `${web}/-/releases/v1.0`
    const file = `${self}/evidences/1.json`
    expect((await as(developer).get(`${at}/v1.0`)).body).toEqual({
      tag_name: 'v1.0',
      description: 'For **all**',
      name: 'v1.0',
      created_at: NOW,
      released_at: NOW,
      upcoming_release: false,
      author: expect.objectContaining({ username: 'developer' }),
      commit: expect.objectContaining({ id: ids[0], title: expect.any(String), parent_ids: [] }),
      milestones: [
        expect.objectContaining({ title: 'Company, all', issue_stats: { total: 0, closed: 0 } }),
        expect.objectContaining({ title: 'First', issue_stats: { total: 1, closed: 0 } }),
      ],
      commit_path: `/${project.path_with_namespace}/-/commit/${ids[0]}`,
      tag_path: `/${project.path_with_namespace}/-/tags/v1.0`,
      assets: {
        count: 6,
        sources: ['zip', 'tar.gz', 'tar.bz2', 'tar'].map((format) => ({
          format,
          url: `${web}/-/archive/v1.0/${project.path}-v1.0.${format}`,
        })),
        links: [
          {
            id: expect.any(Number),
            name: 'Notes',
            url: `${web}/-/wikis/x`,
            direct_asset_url: `${web}/-/wikis/x`,
            link_type: 'other',
            external: false,
          },
          {
            id: expect.any(Number),
            name: 'Tool',
            url: 'https://files.example.test/tool',
            direct_asset_url: `${self}/downloads/bin/tool`,
            link_type: 'package',
            external: true,
          },
        ],
        evidence_file_path: file,
      },
      evidences: [{ sha: expect.stringMatching(/^[0-9a-f]{64}$/), filepath: file, collected_at: NOW }],
      _links: {
        closed_issues_url: `${web}/-/issues?release_tag=v1.0&scope=all&state=closed`,
        closed_merge_requests_url: `${web}/-/merge_requests?release_tag=v1.0&scope=all&state=closed`,
        edit_url: `${self}/edit`,
        merged_merge_requests_url: `${web}/-/merge_requests?release_tag=v1.0&scope=all&state=merged`,
        opened_issues_url: `${web}/-/issues?release_tag=v1.0&scope=all&state=opened`,
        opened_merge_requests_url: `${web}/-/merge_requests?release_tag=v1.0&scope=all&state=opened`,
        self,
      },
    })
    expect(received).toEqual([
      { project_id: project.id, release_id: expect.any(Number), tag: 'v1.0', actor_id: developer.id },
    ])
    const again = await as(reporter).get(`${at}/v1.0?include_html_description=true`)
    expect(again.body.description_html).toContain('<strong>all</strong>')
    expect(again.body._links.edit_url).toBeUndefined()
    expect((await as(reporter).get(`/projects/${project.id}/repository/tags/v1.0`)).body.release).toEqual({
      tag_name: 'v1.0',
      description: 'For **all**',
    })
    expect((await as(reporter).get(`/projects/${project.id}/repository/tags`)).body[0].release).toEqual({
      tag_name: 'v1.0',
      description: 'For **all**',
    })
  })

  it('creates its missing tag, lightweight or annotated, also with slashes and dots in its name', async () => {
    const plain = await as(developer).post(at, { tag_name: 'rel/2.0.x', ref: 'main', name: 'Two' })
    expect(plain.body).toMatchObject({ tag_name: 'rel/2.0.x', name: 'Two', commit: { id: ids[1] } })
    expect(plain.body.assets.sources[1].url).toBe(
      `${web}/-/archive/rel/2.0.x/${project.path}-rel-2.0.x.tar.gz`,
    )
    const params = { tag_name: 'v2.1', ref: ids[0], tag_message: 'As given' }
    await as(developer).post(at, params)
    const kind = (name: string) => shell(onDisk(here, project), ['cat-file', '-t', `refs/tags/${name}`])
    expect([kind('rel/2.0.x'), kind('v2.1')]).toEqual(['commit', 'tag'])
    const found = await as(reporter).get(`${at}/rel%2F2.0.x`)
    expect(found.body).toMatchObject({ name: 'Two', _links: { self: `${web}/-/releases/rel%2F2.0.x` } })
    for (const format of ['zip', 'tar.gz', 'tar.bz2', 'tar']) {
      const source = found.body.assets.sources.find((source: { format: string }) => source.format === format)
      const answer = await root.head(`!${source.url.slice(here.url.length)}`)
      expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
        200,
        expect.stringContaining(`attachment; filename="${project.path}-rel-2.0.x.${format}"`),
      ])
    }
    await dropped('rel/2.0.x')
    await dropped('v2.1')
    expect(kind('v2.1')).toBe('tag')
    expect((await root.get(`/projects/${project.id}/repository/tags/v2.1`)).body.release).toBeNull()
  })

  it('accepts links in forms, too', async () => {
    const form = new URLSearchParams([
      ['tag_name', 'formed'],
      ['ref', 'main'],
      ['milestones[]', 'First'],
      ['assets[links][][name]', 'one'],
      ['assets[links][][url]', 'https://one.example.test'],
      ['assets[links][][name]', 'two'],
      ['assets[links][][url]', 'ftp://two.example.test/x'],
      ['assets[links][][direct_asset_path]', '/two'],
      ['assets[links][][link_type]', 'image'],
    ])
    const made = await as(developer).post(at, form)
    expect(made.body.assets.links).toMatchObject([
      { name: 'two', link_type: 'image', direct_asset_url: `${web}/-/releases/formed/downloads/two` },
      { name: 'one', link_type: 'other' },
    ])
    expect(made.body.milestones).toHaveLength(1)
    await dropped('formed')
  })

  it.each([
    [{}, 400, { error: 'tag_name is missing' }],
    [{ tag_name: 'v1.0' }, 409, { message: 'Release already exists' }],
    [{ tag_name: 'none' }, 422, { message: 'Ref is not specified' }],
    [{ tag_name: 'none', ref: 'no-such' }, 400, { message: 'Target no-such is invalid' }],
    [{ tag_name: 'a..b', ref: 'main' }, 400, { message: 'Tag name invalid' }],
    [
      { tag_name: 'none', ref: 'main', milestones: 'First,b, c' },
      400,
      { message: 'Milestone(s) not found: b, c' },
    ],
    [
      { tag_name: 'none', ref: 'main', milestone_ids: [999] },
      400,
      { message: 'Milestone id(s) not found: 999' },
    ],
    [
      { tag_name: 'none', ref: 'main', milestones: 'First', milestone_ids: [1] },
      400,
      { error: 'milestones, milestone_ids are mutually exclusive' },
    ],
    [{ tag_name: 'none', ref: 'main', released_at: 'soon' }, 400, { error: 'released_at is invalid' }],
    [
      { tag_name: 'none', ref: 'main', assets: { links: [{ url: 'https://x.test' }] } },
      400,
      { error: 'assets[links][0][name] is missing' },
    ],
    [
      { tag_name: 'none', ref: 'main', assets: { links: [{ name: 'a', url: 'https://x', link_type: 'y' }] } },
      400,
      { error: 'assets[links][0][link_type] does not have a valid value' },
    ],
    [
      {
        tag_name: 'none',
        ref: 'main',
        assets: {
          links: [
            { name: 'a', url: 'https://x.test' },
            { name: 'a', url: 'javascript:alert(1)', filepath: 'x' },
          ],
        },
      },
      400,
      {
        message:
          'Validation failed: Links url is blocked: Only allowed schemes are http, https, ftp, Links filepath is in an invalid format, Links have duplicate values (a)',
      },
    ],
    [
      { tag_name: 'none', ref: 'main', name: 'n'.repeat(256) },
      400,
      { message: 'Validation failed: Name is too long (maximum is 255 characters)' },
    ],
  ])('is refused without creating a tag: %j', async (params, status, body) => {
    const answer = await as(developer).post(at, params)
    expect([answer.status, answer.body]).toEqual([status, body])
    expect((await root.get(`/projects/${project.id}/repository/tags/none`)).status).toBe(404)
  })

  it('is updated, and publishes the changed fields', async () => {
    const received = watchEvents(here, 'release.updated')
    clock.advance(1000)
    const put = (body: object) => as(developer).put(`${at}/v1.0`, body)
    expect((await put({})).body).toEqual({ message: 'params is empty' })
    expect((await put({ milestones: ['no'] })).body).toEqual({ message: 'Milestone(s) not found: no' })
    const changed = await put({ name: 'One', description: null, milestones: ['First'] })
    expect(changed.body).toMatchObject({ name: 'One', description: null, milestones: [{ title: 'First' }] })
    const id = changed.body.milestones[0].id
    expect((await put({ milestones: '' })).body.milestones).toBeUndefined()
    expect((await put({ milestone_ids: [id] })).body.milestones).toHaveLength(1)
    expect((await put({ milestones: [] })).body.milestones).toBeUndefined()
    expect((await put({ name: '' })).body.name).toBe('v1.0')
    await put({ name: 'v1.0' })
    expect(received.map((event) => event['changed'])).toEqual([
      ['name', 'description', 'milestones'],
      ['milestones'],
      ['milestones'],
      ['milestones'],
      ['name'],
    ])
    expect((await as(developer).put(`${at}/none`, { name: 'x' })).status).toBe(403)
    expect((await as(developer).delete(`${at}/none`)).body).toEqual({ message: '403 Forbidden' })
    expect((await as(developer).get(`${at}/none`)).body).toEqual({ message: '404 Not Found' })
  })

  it('is created once for concurrent requests', async () => {
    const requests = ['a', 'b', 'c'].map((name) =>
      as(developer).post(at, { tag_name: 'raced', ref: 'main', name }),
    )
    const answers = await Promise.all(requests)
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409, 409])
    expect(answers.find((answer) => answer.status === 409)!.body).toEqual({
      message: 'Release already exists',
    })
    await dropped('raced')
  })

  it('is deleted and returned; the tag remains', async () => {
    const received = watchEvents(here, 'release.deleted')
    await as(developer).post(at, {
      tag_name: 'gone',
      ref: 'main',
      description: 'd',
      assets: { links: [{ name: 'l', url: 'https://l.test' }] },
    })
    const deleted = await as(developer).delete(`${at}/gone`)
    expect([deleted.status, deleted.body.tag_name, deleted.body.assets.count]).toEqual([200, 'gone', 5])
    expect(received).toMatchObject([
      { tag: 'gone', description: 'd', sha: ids[1], links: [{ name: 'l', link_type: 'other' }] },
    ])
    expect((await root.get(`/projects/${project.id}/repository/tags/gone`)).status).toBe(200)
    expect((await as(developer).get(`${at}/gone`)).status).toBe(404)
  })

  it('remains when its tag is deleted, and is deleted with its project', async () => {
    const other = await make.project()
    fill(here, other, [{ files: { a: '1' } }])
    await root.post(`/projects/${other.id}/releases`, { tag_name: 't', ref: 'main' })
    await root.delete(`/projects/${other.id}/repository/tags/t`)
    const found = await root.get(`/projects/${other.id}/releases/t`)
    expect(found.body).toMatchObject({ tag_name: 't', commit: { title: expect.any(String) } })
    await root.post(`/projects/${other.id}/releases`, { tag_name: 't', ref: 'main' })
    expect(here.ctx().db.one('SELECT count(*) AS n FROM releases WHERE project_id = ?', other.id)).toEqual({
      n: 1,
    })
  })
})

describe('lists of releases', () => {
  let own: { id: number; path_with_namespace: string }
  let list: string
  beforeAll(async () => {
    own = await make.project({ namespace_id: group.id, visibility: 'public' })
    await make.member('projects', own.id, developer, 30)
    fill(here, own, [{ files: { a: '1' } }])
    list = `/projects/${own.id}/releases`
    for (const [tag_name, released_at] of [
      ['a', '2026-01-01T00:00:00Z'],
      ['b', '2027-01-01T00:00:00Z'],
      ['c', '2025-01-01T00:00:00Z'],
    ]) {
      clock.advance(1000)
      await as(developer).post(list, { tag_name, ref: 'main', released_at })
    }
  })

  it('are ordered, filtered and paged', async () => {
    const order = async (query: string) => tags((await as(null).get(`${list}?${query}`)).body)
    expect(await order('')).toEqual(['b', 'a', 'c'])
    expect(await order('sort=asc')).toEqual(['c', 'a', 'b'])
    expect(await order('order_by=created_at')).toEqual(['c', 'b', 'a'])
    expect(await order('order_by=created_at&sort=asc&per_page=1&page=2')).toEqual(['b'])
    const [newest] = (await as(null).get(`${list}?order_by=created_at`)).body
    expect(await order(`updated_after=${newest.created_at}`)).toEqual(['c'])
    expect(await order('updated_before=2026-01-01')).toEqual([])
    expect((await as(null).get(`${list}?per_page=2`)).headers.get('x-total')).toBe('3')
    expect((await as(null).get(`${list}?order_by=name`)).body).toEqual({
      error: 'order_by does not have a valid value',
    })
    const [upcoming, past] = (await as(null).get(`${list}?include_html_description=1`)).body
    expect([upcoming.upcoming_release, past.upcoming_release, past.description_html]).toEqual([
      true,
      false,
      '',
    ])
  })

  it('need the same number of queries for few and many releases', async () => {
    await here.drain()
    const { db } = here.ctx()
    const queries = vi.spyOn(db, 'many')
    const counted = async (per_page: number): Promise<number> => {
      // An update of a user invalidates cached values, so cached queries do not distort the count.
      db.exec('UPDATE users SET updated_at = updated_at WHERE id = ?', stranger.id)
      queries.mockClear()
      await root.get(`${list}?per_page=${per_page}`)
      return queries.mock.calls.filter(([sql]) => /release|milestone|users/.test(sql)).length
    }
    const few = await counted(1)
    expect(few).toBeGreaterThan(3)
    expect(await counted(3)).toBe(few)
    queries.mockRestore()
  })

  it('of a group have the releases of all visible projects', async () => {
    const of = (user: TestUser | null, query = '') => as(user).get(`/groups/${group.id}/releases?${query}`)
    expect(tags((await of(here.root)).body)).toEqual(['b', 'v1.0', 'a', 'c'])
    expect(tags((await of(here.root, 'sort=asc&per_page=2')).body)).toEqual(['c', 'a'])
    expect(tags((await of(null)).body)).toEqual(['b', 'a', 'c'])
    expect(tags((await of(stranger)).body)).toEqual(['b', 'a', 'c'])
    const simple = (await of(guest, 'simple=true')).body
    expect(Object.keys(simple[0])).toEqual([
      'tag_name',
      'description',
      'name',
      'created_at',
      'released_at',
      'upcoming_release',
    ])
    // The guest cannot read the code of the private project, so the list has no tag names.
    expect(simple.map((release: { name: string }) => release.name)).toEqual([
      'b',
      expect.stringMatching(/^Release-\d+$/),
      'a',
      'c',
    ])
  })
})

describe('a user without access to the code', () => {
  it('sees releases, but not the name of the tag', async () => {
    await root.put(`${at}/v1.0`, { description: 'given' })
    const [seen] = (await as(guest).get(`${at}?sort=asc`)).body
    expect(Object.keys(seen)).toEqual([
      'description',
      'name',
      'created_at',
      'released_at',
      'upcoming_release',
      'author',
      'assets',
      '_links',
    ])
    expect(seen).toMatchObject({
      name: expect.stringMatching(/^Release-\d+$/),
      description: 'given',
      assets: { count: 2, links: [{}, { direct_asset_url: 'https://files.example.test/tool' }] },
      _links: {},
    })
    expect(seen.assets.sources).toBeUndefined()
    expect(JSON.stringify(seen)).not.toContain('v1.0')
    for (const path of ['v1.0', 'permalink/latest', 'v1.0/assets/links', 'v1.0/downloads/bin/tool'])
      expect([path, (await as(guest).get(`${at}/${path}`)).status]).toEqual([path, 403])
  })

  it('gets 403 if the feature is disabled, and 404 for an invisible project', async () => {
    expect((await as(stranger).get(at)).status).toBe(404)
    expect((await as(null).get(`${at}/v1.0`)).status).toBe(404)
    expect((await as(reporter).post(at, { tag_name: 'v1.0' })).body).toEqual({ message: '403 Forbidden' })
    await root.put(`/projects/${project.id}`, { releases_access_level: 'disabled' })
    expect((await root.get(at)).status).toBe(403)
    expect(tags((await root.get(`/groups/${group.id}/releases`)).body)).toEqual(['b', 'a', 'c'])
    await root.put(`/projects/${project.id}`, { releases_access_level: 'enabled' })
  })
})

describe('protected tags', () => {
  it('protect their releases', async () => {
    await root.post(`/projects/${project.id}/protected_tags`, { name: 'stable-*', create_access_level: 40 })
    const text = 'You are not allowed to create this tag as it is protected.'
    const made = await as(developer).post(at, { tag_name: 'stable-1', ref: 'main' })
    expect([made.status, made.body]).toEqual([403, { message: text }])
    expect((await root.post(at, { tag_name: 'stable-1', ref: 'main' })).status).toBe(201)
    expect((await as(developer).put(`${at}/stable-1`, { name: 'x' })).status).toBe(403)
    expect((await as(developer).delete(`${at}/stable-1`)).status).toBe(403)
    const link = { name: 'x', url: 'https://x.test' }
    expect((await as(developer).post(`${at}/stable-1/assets/links`, link)).status).toBe(403)
    expect((await dropped('stable-1')).status).toBe(200)
  })
})
