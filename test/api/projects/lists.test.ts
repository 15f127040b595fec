import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const { as, root, make, ctx } = await world()
const ada = make.user({ username: 'ada' })
const bob = make.user({ username: 'bob' })
const external = make.user({ username: 'outside', external: true })
const group = await make.group({ owner: ada, name: 'Crew', path: 'crew', visibility: 'public' })
const inner = await make.group({
  owner: ada,
  name: 'Inner',
  path: 'inner',
  parent_id: group.id,
  visibility: 'private',
})

const made: Record<string, number> = {}
const add = async (name: string, options: object) =>
  (made[name] = (await make.project({ name, ...options })).id)
await add('Alpha', { owner: ada, visibility: 'public', topics: ['Red', 'blue'] })
await add('beta', { owner: ada, visibility: 'internal', topics: ['red'], description: 'about 100% of alpha' })
await add('Gamma', { owner: ada, visibility: 'private' })
await add('delta', { owner: ada, namespace_id: group.id, visibility: 'public', issues_enabled: false })
await add('Epsilon', { owner: ada, namespace_id: inner.id, merge_requests_enabled: false })
await add('zeta_x', { owner: bob })

// Different times, in the order of creation.
for (const [index, id] of Object.values(made).entries()) {
  const time = `2026-01-0${index + 1}T00:00:00.000Z`
  ctx().db.exec(
    'UPDATE projects SET created_at = ?, updated_at = ?, last_activity_at = ? WHERE id = ?',
    time,
    time,
    time,
    id,
  )
}

type Row = { id: number; name: string }
const namesOf = (body: Row[]) => body.map((row) => row.name)
const names = async (user: typeof ada | null, query = '') => {
  const { status, body } = await as(user).get(`/projects${query}`)
  expect(status).toBe(200)
  return namesOf(body)
}

describe('GET /projects', () => {
  it('lists the projects that the caller may see, the newest first', async () => {
    expect(await names(root)).toEqual(['zeta_x', 'Epsilon', 'delta', 'Gamma', 'beta', 'Alpha'])
    expect(await names(ada)).toEqual(['Epsilon', 'delta', 'Gamma', 'beta', 'Alpha'])
    expect(await names(bob)).toEqual(['zeta_x', 'delta', 'beta', 'Alpha'])
    expect(await names(external)).toEqual(['delta', 'Alpha'])
    expect(await names(null)).toEqual(['delta', 'Alpha'])
  })

  it('shows the full view with permissions to users, and the simple view to anonymous callers or on request', async () => {
    const [first] = (await as(ada).get('/projects?search=epsilon')).body
    expect(first.permissions).toEqual({
      project_access: null,
      group_access: { access_level: 50, notification_level: 3 },
    })
    expect(first.visibility).toBe('private')
    const [own] = (await as(ada).get('/projects?search=gamma')).body
    expect(own).toMatchObject({
      owner: { username: 'ada' },
      permissions: { project_access: { access_level: 50 }, group_access: null },
    })
    for (const body of [
      (await as(null).get('/projects')).body,
      (await as(ada).get('/projects?simple=1')).body,
    ]) {
      expect(body[0]).not.toHaveProperty('permissions')
      expect(body[0]).not.toHaveProperty('visibility')
      expect(body[0]).toHaveProperty('web_url')
    }
    expect((await as(ada).get('/projects?statistics=true')).body[0].statistics.commit_count).toBe(0)
  })

  const filters: [string, string[]][] = [
    ['owned=true', ['Epsilon', 'delta', 'Gamma', 'beta', 'Alpha']],
    ['membership=true', ['Epsilon', 'delta', 'Gamma', 'beta', 'Alpha']],
    ['visibility=private', ['Epsilon', 'Gamma']],
    ['search=ALPHA', ['beta', 'Alpha']],
    ['search=100%25', ['beta']],
    ['search=_', []],
    ['search=crew', []],
    ['search=crew&search_namespaces=true', ['Epsilon', 'delta']],
    ['topic=red', ['beta', 'Alpha']],
    ['topic=red,BLUE', ['Alpha']],
    ['with_issues_enabled=true', ['Epsilon', 'Gamma', 'beta', 'Alpha']],
    ['with_merge_requests_enabled=true', ['delta', 'Gamma', 'beta', 'Alpha']],
    ['min_access_level=50&search=delta', ['delta']],
    ['archived=false', ['Epsilon', 'delta', 'Gamma', 'beta', 'Alpha']],
    ['archived=true', []],
    ['starred=true', []],
    ['last_activity_after=2026-01-04', ['Epsilon', 'delta']],
    ['last_activity_before=2026-01-02T00:00:00Z', ['beta', 'Alpha']],
    ['updated_after=2026-01-02&updated_before=2026-01-03', ['Gamma', 'beta']],
    ['order_by=name&sort=asc', ['Alpha', 'beta', 'delta', 'Epsilon', 'Gamma']],
    ['order_by=path', ['Gamma', 'Epsilon', 'delta', 'beta', 'Alpha']],
    ['order_by=id&sort=asc', ['Alpha', 'beta', 'Gamma', 'delta', 'Epsilon']],
    ['order_by=updated_at&sort=asc', ['Alpha', 'beta', 'Gamma', 'delta', 'Epsilon']],
    ['order_by=last_activity_at', ['Epsilon', 'delta', 'Gamma', 'beta', 'Alpha']],
    ['order_by=similarity&search=alpha&sort=asc', ['Alpha', 'beta']],
    ['order_by=similarity', ['Alpha', 'beta', 'delta', 'Epsilon', 'Gamma']],
    ['per_page=2&page=2', ['Gamma', 'beta']],
    ['page=99', []],
  ]
  it.each(filters)('filters and orders by %s', async (query, expected) => {
    expect(await names(ada, `?${query}`)).toEqual(expected)
  })

  it('filters by stars, levels and ids', async () => {
    await as(bob).post(`/projects/${made['Alpha']}/star`)
    expect(await names(bob, '?starred=true')).toEqual(['Alpha'])
    expect(await names(bob, '?min_access_level=10')).toEqual(['zeta_x'])
    expect(await names(root, `?id_after=${made['Gamma']}&id_before=${made['zeta_x']}`)).toEqual([
      'Epsilon',
      'delta',
    ])
    expect(await names(null, '?owned=true')).toEqual([])
    expect(await names(null, '?starred=true')).toEqual([])
    expect(await names(ada, '?repository_storage=none')).toHaveLength(5)
    expect(await names(root, '?repository_storage=none')).toEqual([])
  })

  it('pages by offset with all headers', async () => {
    const { headers } = await as(ada).get('/projects?per_page=2&page=2')
    expect(headers.get('x-total')).toBe('5')
    expect(headers.get('x-total-pages')).toBe('3')
    expect(headers.get('x-next-page')).toBe('3')
    expect(headers.get('link')).toMatch(/rel="prev".*rel="next".*rel="first".*rel="last"/)
  })

  it('pages by keyset, with every project once, in both directions', async () => {
    for (const sort of ['asc', 'desc']) {
      const seen: string[] = []
      let path: string | undefined = `/projects?pagination=keyset&order_by=id&sort=${sort}&per_page=2`
      while (path) {
        const { body, headers } = await as(ada).get(path)
        expect(headers.get('x-total')).toBeNull()
        seen.push(...namesOf(body))
        path = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
      }
      const all = ['Alpha', 'beta', 'Gamma', 'delta', 'Epsilon']
      expect(seen).toEqual(sort === 'asc' ? all : all.toReversed())
    }
  })

  const refused: [string, number, string][] = [
    ['order_by=size', 400, 'order_by does not have a valid value'],
    ['sort=up', 400, 'sort does not have a valid value'],
    ['per_page=0', 400, 'per_page has a value not allowed'],
    ['page=x', 400, 'page is invalid'],
    ['archived=maybe', 400, 'archived is invalid'],
    ['visibility=open', 400, 'visibility does not have a valid value'],
    ['last_activity_after=yesterday', 400, 'last_activity_after is invalid'],
    ['min_access_level=99', 400, 'min_access_level does not have a valid value'],
    ['search[]=x', 400, 'search is invalid'],
    [
      'pagination=keyset&order_by=name',
      405,
      'Keyset pagination is not yet available for this type of request',
    ],
    ['page=501&per_page=100', 405, 'Offset pagination has a maximum allowed offset of 50000'],
  ]
  it.each(refused)('refuses %s', async (query, status, error) => {
    const answer = await as(ada).get(`/projects?${query}`)
    expect(answer.status).toBe(status)
    expect(answer.body.error).toContain(error)
  })

  it('follows new and ended memberships', async () => {
    expect(await names(bob, '?search=epsilon')).toEqual([])
    await make.member('groups', group.id, bob, 30)
    expect(await names(bob, '?search=epsilon')).toEqual(['Epsilon'])
    expect((await as(bob).get('/projects?search=epsilon')).headers.get('x-total')).toBe('1')
    await as(ada).delete(`/groups/${group.id}/members/${bob.id}`)
    expect(await names(bob, '?search=epsilon')).toEqual([])
    expect((await as(bob).get('/projects?search=epsilon')).headers.get('x-total')).toBe('0')
  })
})

describe('GET /users/:user_id/projects', () => {
  it('lists the projects in the personal namespace that the caller may see', async () => {
    const list = async (user: typeof ada | null, path: string) => namesOf((await as(user).get(path)).body)
    expect(await list(ada, '/users/ada/projects')).toEqual(['Gamma', 'beta', 'Alpha'])
    expect(await list(bob, `/users/${ada.id}/projects`)).toEqual(['beta', 'Alpha'])
    expect(await list(null, '/users/ADA/projects')).toEqual(['Alpha'])
    expect(await list(ada, '/users/ada/projects?visibility=private')).toEqual(['Gamma'])
    expect((await as(ada).get('/users/nobody/projects')).body).toEqual({ message: '404 User Not Found' })
  })
})

describe('GET /users/:user_id/starred_projects', () => {
  it('lists the starred projects that the caller may see', async () => {
    await as(ada).post(`/projects/${made['Gamma']}/star`)
    await as(ada).post(`/projects/${made['Alpha']}/star`)
    expect(namesOf((await as(ada).get('/users/ada/starred_projects')).body)).toEqual(['Gamma', 'Alpha'])
    expect(namesOf((await as(null).get(`/users/${ada.id}/starred_projects`)).body)).toEqual(['Alpha'])
    expect((await as(ada).get('/users/4711/starred_projects')).status).toBe(404)
  })
})

describe('GET /groups/:id/projects', () => {
  it("lists the group's projects, and with include_subgroups those of subgroups", async () => {
    const list = async (user: typeof ada | null, query = '') =>
      namesOf((await as(user).get(`/groups/crew/projects${query}`)).body)
    expect(await list(ada)).toEqual(['delta'])
    expect(await list(ada, '?include_subgroups=true')).toEqual(['Epsilon', 'delta'])
    expect(await list(bob, '?include_subgroups=true')).toEqual(['delta'])
    expect(
      await list(ada, '?include_subgroups=true&order_by=name&sort=asc&with_issues_enabled=true'),
    ).toEqual(['Epsilon'])
    expect((await as(ada).get('/groups/crew/projects')).body[0]).not.toHaveProperty('permissions')
    expect((await as(null).get('/groups/crew%2Finner/projects')).body).toEqual({
      message: '404 Group Not Found',
    })
  })
})
