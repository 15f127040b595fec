import { describe, expect, it } from 'vitest'

import { watchEvents } from '../repository/fill.ts'
import { world } from '../../support/world.ts'

const here = await world()
const root = here.as(here.root)
const [developer, reporter, guest, stranger] = [
  here.make.user(),
  here.make.user(),
  here.make.user(),
  here.make.user(),
]
const project = await here.make.project({ visibility: 'public' })
await here.make.member('projects', project.id, developer, 30)
await here.make.member('projects', project.id, reporter, 20)
await here.make.member('projects', project.id, guest, 10)
const at = `/projects/${project.id}/environments`
const as = here.as(developer)
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const NOT_FOUND = { message: '404 Environment Not Found' }

async function make(name: string, more: object = {}) {
  const { body } = await as.post(at, { name, ...more })
  return body as { id: number; name: string; slug: string }
}

describe('environments', () => {
  it('can be added, shown, changed, stopped and deleted', async () => {
    const received = watchEvents(here, 'environment.changed')
    const made = await as.post(at, { name: 'review/fix-foo', external_url: 'https://foo.example.test' })
    const plain = {
      id: made.body.id,
      name: 'review/fix-foo',
      slug: 'review-fix-foo-v25cyx',
      external_url: 'https://foo.example.test',
      state: 'available',
      tier: 'development',
      created_at: TIME,
      updated_at: TIME,
    }
    expect([made.status, made.body]).toEqual([201, plain])
    const environmentPath = `${at}/${made.body.id}`
    const shown = await as.get(environmentPath)
    expect([shown.status, shown.body]).toEqual([
      200,
      {
        ...plain,
        enable_advanced_logs_querying: false,
        logs_api_path: `/${project.path_with_namespace}/-/logs/k8s.json?environment_name=review%2Ffix-foo`,
        last_deployment: null,
      },
    ])
    expect((await as.get(`${at}?name=review/fix-foo`)).body).toEqual([shown.body])
    const changed = await as.put(environmentPath, { external_url: 'http://b.example.test', tier: 'staging' })
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...plain, external_url: 'http://b.example.test', tier: 'staging' },
    ])
    const renamed = await as.put(environmentPath, { name: 'preview/b', external_url: null })
    expect(renamed.body).toMatchObject({
      name: 'preview/b',
      slug: plain.slug,
      external_url: null,
      tier: 'staging',
    })
    expect([(await as.delete(environmentPath)).status, (await as.delete(environmentPath)).body]).toEqual([
      403,
      { message: '403 Forbidden' },
    ])
    const { tier: _tier, ...withoutTier } = renamed.body
    const stopped = await as.post(`${environmentPath}/stop`)
    expect([stopped.status, stopped.body]).toEqual([
      200,
      { ...withoutTier, state: 'stopped', updated_at: TIME },
    ])
    expect((await as.post(`${environmentPath}/stop`)).body).toEqual(stopped.body)
    expect((await as.delete(environmentPath)).status).toBe(204)
    for (const gone of [
      as.get(environmentPath),
      as.put(environmentPath, {}),
      as.delete(environmentPath),
      as.post(`${environmentPath}/stop`),
    ])
      expect(await gone).toMatchObject({ status: 404, body: NOT_FOUND })
    expect(received.map((event) => event['state'])).toEqual([
      'available',
      'available',
      'available',
      'stopped',
      'removed',
    ])
    expect(received[0]).toMatchObject({ environment_id: made.body.id, actor_id: developer.id })
  })

  it('are listed in the order of creation, and filtered by name, part of the name and state', async () => {
    const ciJob = await make('list/One')
    for (const name of ['list/two', 'listing']) await make(name)
    await as.post(`${at}/${ciJob.id}/stop`)
    const found = async (query: string) => {
      const { status, body } = await as.get(`${at}?${query}`)
      expect(status).toBe(200)
      return (body as { name: string }[]).map((each) => each.name)
    }
    expect(await found('search=LIST')).toEqual(['list/One', 'list/two', 'listing'])
    expect(await found('search=list_')).toEqual([])
    expect(await found('search=')).toEqual(expect.arrayContaining(['listing']))
    expect(await found('name=list/two')).toEqual(['list/two'])
    expect(await found('name=nowhere')).toEqual([])
    expect(await found('search=list&states=stopped')).toEqual(['list/One'])
    expect(await found('search=list&states=available')).toEqual(['list/two', 'listing'])
    expect(await found('states=stopping')).toEqual([])
    const page = await as.get(`${at}?search=list&per_page=2&page=2`)
    expect([page.body.length, page.headers.get('x-total')]).toEqual([1, '3'])
  })

  it.each([
    ['name=abc&search=abc', { error: 'name, search cannot be used together' }],
    ['search=ab', { message: '400 Bad request - Search query is less than 3 characters' }],
    ['states=gone', { error: 'states does not have a valid value' }],
  ])('are not listed by %s', async (query, body) => {
    expect(await as.get(`${at}?${query}`)).toMatchObject({ status: 400, body })
  })

  it.each([
    [{}, { error: 'name is missing' }],
    [{ name: 'a', tier: 'moon' }, { error: 'tier does not have a valid value' }],
    [{ name: 'a', slug: 'b' }, { error: 'slug is automatically generated and cannot be changed' }],
    [{ name: '' }, { message: { name: ["can't be blank"] } }],
    [{ name: 'x'.repeat(256) }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
    [
      { name: '/a/' },
      {
        message: {
          name: [
            "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'",
          ],
        },
      },
    ],
    [
      { name: 'a', external_url: 'javascript:alert(1)' },
      { message: { external_url: ['javascript scheme is not allowed'] } },
    ],
  ])('are refused with %j', async (params, body) => {
    expect(await as.post(at, params)).toMatchObject({ status: 400, body })
  })

  it('have unique names and slugs', async () => {
    const first = await make('Taken')
    const taken = { message: { name: ['has already been taken'], slug: ['has already been taken'] } }
    expect(await as.post(at, { name: 'Taken' })).toMatchObject({ status: 400, body: taken })
    expect(await as.post(at, { name: first.slug })).toMatchObject({
      status: 400,
      body: { message: { slug: ['has already been taken'] } },
    })
    const other = await make('free')
    expect(await as.put(`${at}/${other.id}`, { name: 'Taken' })).toMatchObject({
      status: 400,
      body: { message: { name: ['has already been taken'] } },
    })
    expect((await as.put(`${at}/${other.id}`, { slug: 'x' })).status).toBe(400)
    expect((await as.put(`${at}/${other.id}`, { name: 'free' })).status).toBe(200)
    const elsewhere = await here.make.project()
    expect((await root.post(`/projects/${elsewhere.id}/environments`, { name: 'Taken' })).status).toBe(201)
    expect((await root.get(`/projects/${elsewhere.id}/environments/${first.id}`)).body).toEqual(NOT_FOUND)
  })

  it('are visible to reporters and can be changed by developers', async () => {
    const { id } = await make('rights')
    const reads = (who: Parameters<typeof here.as>[0]) =>
      Promise.all([at, `${at}/${id}`].map(async (path) => (await here.as(who).get(path)).status))
    expect(await reads(reporter)).toEqual([200, 200])
    expect(await reads(guest)).toEqual([403, 403])
    expect(await reads(stranger)).toEqual([403, 403])
    expect(await reads(null)).toEqual([401, 401])
    const writes = (who: Parameters<typeof here.as>[0]) =>
      Promise.all([
        here.as(who).post(at, { name: 'more' }),
        here.as(who).put(`${at}/${id}`, { tier: 'other' }),
        here.as(who).post(`${at}/${id}/stop`),
        here.as(who).delete(`${at}/${id}`),
        here.as(who).post(`${at}/stop_stale`, { before: '2020-01-01' }),
      ]).then((all) => all.map((answer) => answer.status))
    expect(await writes(reporter)).toEqual([403, 403, 403, 403, 403])
    expect(await writes(null)).toEqual([401, 401, 401, 401, 401])
    const hidden = await here.make.project({ visibility: 'private' })
    expect((await as.get(`/projects/${hidden.id}/environments`)).status).toBe(404)
  })

  it('are unavailable with the feature or pipelines disabled, and read-only in an archived project', async () => {
    for (const feature of ['environments_access_level', 'builds_access_level']) {
      const closed = await here.make.project({ [feature]: 'disabled' })
      expect((await root.get(`/projects/${closed.id}/environments`)).status).toBe(403)
    }
    const old = await here.make.project()
    const { body } = await root.post(`/projects/${old.id}/environments`, { name: 'x' })
    await root.post(`/projects/${old.id}/archive`)
    expect((await root.get(`/projects/${old.id}/environments/${body.id}`)).status).toBe(200)
    expect((await root.post(`/projects/${old.id}/environments/${body.id}/stop`)).status).toBe(403)
  })
})
