import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const { as, root, make, ctx } = await world()
const ada = make.user({ username: 'ada' })
const bob = make.user({ username: 'bob' })
const external = make.user({ username: 'outside', external: true })
const open = await make.group({ name: 'Open', path: 'z-open', visibility: 'public' })
const inside = await make.group({ name: 'inside', path: 'y-inside', visibility: 'internal' })
const closed = await make.group({ name: 'Closed', path: 'x-closed', owner: ada })
const child = await make.group({ name: 'Child', path: 'child', owner: ada, parent_id: closed.id })
const grandchild = await make.group({ name: 'Grandchild', path: 'grand', owner: ada, parent_id: child.id })
const openChild = await make.group({
  name: 'Open child',
  path: 'child',
  parent_id: open.id,
  visibility: 'public',
})

type User = typeof ada
const names = async (user: User | null, path: string) => {
  const { status, body } = await as(user).get(path)
  expect(status).toBe(200)
  return body.map((group: { name: string }) => group.name)
}

describe('GET /groups', () => {
  it('lists visible groups by name', async () => {
    expect(await names(root, '/groups')).toEqual([
      'Child',
      'Closed',
      'Grandchild',
      'inside',
      'Open',
      'Open child',
    ])
    expect(await names(ada, '/groups')).toEqual([
      'Child',
      'Closed',
      'Grandchild',
      'inside',
      'Open',
      'Open child',
    ])
    expect(await names(bob, '/groups')).toEqual(['inside', 'Open', 'Open child'])
    expect(await names(external, '/groups')).toEqual(['Open', 'Open child'])
    expect(await names(null, '/groups')).toEqual(['Open', 'Open child'])
  })

  const filters: [string, string[]][] = [
    ['owned=true', ['Child', 'Closed', 'Grandchild']],
    ['all_available=false', ['Child', 'Closed', 'Grandchild']],
    ['min_access_level=40', ['Child', 'Closed', 'Grandchild']],
    ['top_level_only=true', ['Closed', 'inside', 'Open']],
    ['search=CHILD', ['Child', 'Grandchild', 'Open child']],
    ['search=child&order_by=similarity', ['Child', 'Open child', 'Grandchild']],
    ['search=%25', []],
    [`skip_groups=${closed.id},${child.id}`, ['Grandchild', 'inside', 'Open', 'Open child']],
    ['order_by=path&top_level_only=1', ['Closed', 'inside', 'Open']],
    ['order_by=id&sort=desc', ['Open child', 'Grandchild', 'Child', 'Closed', 'inside', 'Open']],
    ['sort=desc&per_page=2', ['Open child', 'Open']],
  ]
  it.each(filters)('filters and orders by %s', async (query, expected) => {
    expect(await names(ada, `/groups?${query}`)).toEqual(expected)
  })

  it('lists the ancestors of the caller’s groups', async () => {
    await make.member('groups', grandchild.id, bob, 10)
    expect(await names(bob, '/groups?all_available=false')).toEqual(['Child', 'Closed', 'Grandchild'])
    expect(await names(bob, '/groups?min_access_level=10')).toEqual(['Grandchild'])
    await as(ada).delete(`/groups/${grandchild.id}/members/${bob.id}`)
  })

  it('includes sizes for administrators on request', async () => {
    const project = await make.project({ namespace_id: open.id, visibility: 'public' })
    ctx().db.exec('UPDATE projects SET repository_size = 42 WHERE id = ?', project.id)
    const { body } = await as(root).get('/groups?statistics=true&search=z-open')
    expect(body[0].statistics).toMatchObject({ repository_size: 42, storage_size: 42, wiki_size: 0 })
    expect((await as(ada).get('/groups?statistics=true')).body[0]).not.toHaveProperty('statistics')
  })

  it('shows and filters by custom attributes for administrators', async () => {
    await as(root).put(`/groups/${open.id}/custom_attributes/team`, { value: 'red' })
    const query = 'custom_attributes[team]=red&with_custom_attributes=true'
    const { body } = await as(root).get(`/groups?${query}`)
    expect(body.map((group: { id: number }) => group.id)).toEqual([open.id])
    expect(body[0].custom_attributes).toEqual([{ key: 'team', value: 'red' }])
    expect(await names(root, `/groups?custom_attributes[team]=blue`)).toEqual([])
    expect(await names(root, `/groups/${open.id}/subgroups?custom_attributes[team]=red`)).toEqual([])
    const others = await as(ada).get(`/groups?${query}&per_page=1`)
    expect(others.headers.get('x-total')).toBe('6')
    expect(others.body[0]).not.toHaveProperty('custom_attributes')
    const single = await as(root).get(`/groups/${open.id}?with_custom_attributes=true`)
    expect(single.body.custom_attributes).toEqual([{ key: 'team', value: 'red' }])
    expect((await as(ada).get(`/groups/${open.id}?with_custom_attributes=true`)).body).not.toHaveProperty(
      'custom_attributes',
    )
  })

  it('includes allowed IP ranges in the list of all groups, not in lists of subgroups', async () => {
    expect((await as(null).get('/groups')).body[0].ip_restriction_ranges).toBeNull()
    const [first] = (await as(null).get(`/groups/${open.id}/subgroups`)).body
    expect(first).not.toHaveProperty('ip_restriction_ranges')
  })

  it('adds up all sizes', async () => {
    const group = await make.group({ owner: ada, name: 'Sized' })
    const project = await make.project({ owner: ada, namespace_id: group.id })
    ctx().db.exec(
      'UPDATE projects SET wiki_size = 1, uploads_size = 2, packages_size = 3 WHERE id = ?',
      project.id,
    )
    const { body } = await as(root).get('/groups?statistics=true&search=Sized')
    expect(body[0].statistics).toEqual({
      storage_size: 6,
      repository_size: 0,
      wiki_size: 1,
      lfs_objects_size: 0,
      job_artifacts_size: 0,
      pipeline_artifacts_size: 0,
      packages_size: 3,
      snippets_size: 0,
      uploads_size: 2,
    })
    await as(root).put('/application/settings', { delayed_group_deletion: false })
    await as(ada).delete(`/groups/${group.id}`)
  })

  it('returns pages by offset', async () => {
    const { body, headers } = await as(ada).get('/groups?per_page=2&page=3')
    expect(body.map((group: { name: string }) => group.name)).toEqual(['Open', 'Open child'])
    expect(headers.get('x-total')).toBe('6')
    expect(headers.get('x-next-page')).toBe('')
  })

  it('returns keyset pages for anonymous callers', async () => {
    const first = await as(null).get('/groups?pagination=keyset&per_page=1')
    expect(first.headers.get('x-total')).toBeNull()
    const next = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '')![1]!
    const second = await as(null).get(next)
    expect([first.body[0].name, second.body[0].name]).toEqual(['Open', 'Open child'])
    expect(second.headers.get('link')).toBeNull()
  })

  const refused: [User | null, string, number, string][] = [
    [ada, 'pagination=keyset', 405, 'Keyset pagination is not yet available for this type of request'],
    [
      null,
      'pagination=keyset&sort=desc',
      405,
      'Keyset pagination is not yet available for this type of request',
    ],
    [
      null,
      'pagination=keyset&order_by=id',
      405,
      'Keyset pagination is not yet available for this type of request',
    ],
    [null, 'pagination=keyset&cursor=nonsense', 400, 'cursor is invalid'],
    [null, 'page=501&per_page=100', 405, 'Offset pagination has a maximum allowed offset of 50000'],
    [ada, 'order_by=size', 400, 'order_by does not have a valid value'],
    [ada, 'skip_groups=x', 400, 'skip_groups is invalid'],
  ]
  it.each(refused)('refuses, for %o, %s', async (user, query, status, error) => {
    const answer = await as(user).get(`/groups?${query}`)
    expect(answer.status).toBe(status)
    expect(answer.body.error).toContain(error)
  })
})

describe('GET /groups/:id/subgroups', () => {
  it('lists direct subgroups: all for members, public ones for others', async () => {
    expect(await names(ada, `/groups/${closed.id}/subgroups`)).toEqual(['Child'])
    expect(await names(null, '/groups/z-open/subgroups')).toEqual(['Open child'])
    expect(await names(bob, '/groups/z-open/subgroups')).toEqual([])
    expect(await names(bob, '/groups/z-open/subgroups?all_available=true')).toEqual(['Open child'])
    expect(await names(root, `/groups/${closed.id}/subgroups`)).toEqual(['Child'])
    expect((await as(bob).get(`/groups/${closed.id}/subgroups`)).status).toBe(404)
    expect(openChild.parent_id).toBe(open.id)
    expect(await names(ada, `/groups/${inside.id}/subgroups`)).toEqual([])
  })
})

describe('GET /groups/:id/descendant_groups', () => {
  it('lists subgroups at any depth', async () => {
    expect(await names(ada, `/groups/${closed.id}/descendant_groups`)).toEqual(['Child', 'Grandchild'])
    expect(await names(ada, `/groups/${closed.id}/descendant_groups?search=grand`)).toEqual(['Grandchild'])
    expect(await names(ada, `/groups/${child.id}/descendant_groups?sort=desc`)).toEqual(['Grandchild'])
  })
})
