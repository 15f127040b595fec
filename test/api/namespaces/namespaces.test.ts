import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const { as, root, make } = await world()
const ada = make.user({ username: 'ada' })
const bob = make.user({ username: 'bob' })
const open = await make.group({ path: 'open', name: 'Open', visibility: 'public' })
const closed = await make.group({ path: 'closed', name: 'Closed', owner: ada })
const inner = await make.group({ path: 'inner', name: 'Inner', owner: ada, parent_id: closed.id })

describe('GET /namespaces', () => {
  it('lists the personal namespace first, then the caller’s groups with inherited ones', async () => {
    const { status, body } = await as(ada).get('/namespaces')
    expect(status).toBe(200)
    expect(body.map((namespace: { full_path: string }) => namespace.full_path)).toEqual([
      'ada',
      'closed',
      'closed/inner',
    ])
    expect(body[0]).toMatchObject({ kind: 'user', parent_id: null, plan: 'ultimate' })
    expect(body[0]).not.toHaveProperty('members_count_with_descendants')
    expect(body[2]).toMatchObject({ kind: 'group', parent_id: closed.id, members_count_with_descendants: 1 })
  })

  it('hides the fields for managers from other members', async () => {
    await make.member('groups', closed.id, bob, 20)
    const { body } = await as(bob).get('/namespaces?search=closed')
    expect(body.map((namespace: { full_path: string }) => namespace.full_path)).toEqual([
      'closed',
      'closed/inner',
    ])
    expect(body[0]).not.toHaveProperty('plan')
    await as(root).delete(`/groups/${closed.id}/members/${bob.id}`)
  })

  it('returns all to administrators, and their own with owned_only', async () => {
    const all = await as(root).get('/namespaces')
    expect(all.body.map((namespace: { full_path: string }) => namespace.full_path)).toEqual([
      'root',
      'ada',
      'bob',
      'closed',
      'closed/inner',
      'open',
    ])
    const owned = await as(root).get('/namespaces?owned_only=true')
    expect(owned.body.map((namespace: { full_path: string }) => namespace.full_path)).toEqual([
      'root',
      'open',
    ])
  })

  it('counts seats for managers', async () => {
    const group = await make.group({ path: 'seats', owner: ada })
    const below = await make.group({ owner: ada, parent_id: group.id })
    const club = await make.group({ owner: bob })
    await make.member('groups', below.id, make.user(), 10)
    await make.member('groups', below.id, make.user(), 5)
    await as(root).post(`/groups/${below.id}/share`, { group_id: club.id, group_access: 10 })
    const { body } = await as(ada).get(`/namespaces/${group.id}`)
    expect(body).toMatchObject({
      members_count_with_descendants: 3,
      billable_members_count: 3,
      max_seats_used: 3,
      seats_in_use: 3,
      plan: 'ultimate',
      trial: false,
      trial_ends_on: null,
      shared_runners_minutes_limit: null,
    })
    expect((await as(bob).get(`/namespaces/${below.id}`)).body).not.toHaveProperty('seats_in_use')
    const { body: list } = await as(ada).get('/namespaces?top_level_only=true')
    expect(list.map((namespace: { full_path: string }) => namespace.full_path)).toEqual([
      'ada',
      'closed',
      'seats',
    ])
    for (const { id } of [group, club]) await as(root).delete(`/groups/${id}`)
  })

  it('lists the personal namespace before groups with a similar name', async () => {
    const carl = make.user({ username: 'carl' })
    await make.group({ owner: carl, path: 'a-carl', name: 'a carl' })
    const { body } = await as(carl).get('/namespaces?search=carl')
    expect(
      body.map((namespace: { kind: string; full_path: string }) => [namespace.kind, namespace.full_path]),
    ).toEqual([
      ['user', 'carl'],
      ['group', 'a-carl'],
    ])
    expect((await as(carl).get('/namespaces/carl')).body.id).toBe(body[0].id)
  })

  it('searches wildcard characters literally', async () => {
    expect((await as(root).get('/namespaces?search=%25')).body).toEqual([])
    expect((await as(root).get('/namespaces?search=OPEN')).body).toHaveLength(1)
  })

  it('returns 401 to anonymous callers', async () => {
    expect((await as(null).get('/namespaces')).status).toBe(401)
  })
})

describe('GET /namespaces/:id', () => {
  it('finds a namespace by ID and by full path in any case', async () => {
    expect((await as(ada).get(`/namespaces/${inner.id}`)).body.full_path).toBe('closed/inner')
    expect((await as(ada).get('/namespaces/CLOSED%2FInner')).body.id).toBe(inner.id)
    expect((await as(bob).get(`/namespaces/${open.id}`)).body.web_url).toMatch(/\/groups\/open$/)
  })

  it.each(['/namespaces/closed', '/namespaces/ada', '/namespaces/999', '/namespaces/99999999999999999999'])(
    'returns 404 for a missing or invisible one: %s',
    async (path) => {
      const { status, body } = await as(bob).get(path)
      expect([status, body]).toEqual([404, { message: '404 Namespace Not Found' }])
    },
  )
})

describe('GET /namespaces/:namespace/exists', () => {
  it('returns whether a path is taken, with a free alternative', async () => {
    expect((await as(bob).get('/namespaces/fresh/exists')).body).toEqual({ exists: false, suggests: [] })
    expect((await as(bob).get('/namespaces/closed/exists')).body).toEqual({
      exists: true,
      suggests: ['closed1'],
    })
    await make.group({ path: 'open1', name: 'Open 1' })
    expect((await as(bob).get('/namespaces/Open/exists')).body).toEqual({ exists: true, suggests: ['Open2'] })
  })

  it('checks a path below a parent', async () => {
    const below = (path: string, parent: number) =>
      as(ada).get(`/namespaces/${path}/exists?parent_id=${parent}`)
    expect((await below('inner', closed.id)).body).toEqual({ exists: true, suggests: ['inner1'] })
    expect((await below('inner', open.id)).body.exists).toBe(false)
    expect((await below('inner', 4711)).body.exists).toBe(false)
    expect((await below('inner', NaN)).body).toEqual({ error: 'parent_id is invalid' })
  })
})

describe('personal namespaces', () => {
  it('cannot have the same path as a group', async () => {
    const { status, body } = await as(root).post('/groups', { name: 'Ada', path: 'ADA' })
    expect([status, body.message]).toEqual([400, 'Failed to save group {:path=>["has already been taken"]}'])
    expect(() => make.user({ username: 'open' })).toThrow('Username has already been taken')
  })
})
