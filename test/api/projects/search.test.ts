import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const { as, root, make, ctx } = await world()
const ada = make.user({ username: 'ada' })
const group = await make.group({ name: 'Wide', path: 'wide', visibility: 'public' })

const insert = (id: number, more: { name: string; description?: string; visibility?: string }) => {
  const time = new Date(Date.parse('2026-01-01') + id * 1000).toISOString()
  ctx().db.exec(
    `INSERT INTO projects (id, namespace_id, name, path, description, visibility, disk_path, default_branch, runners_token,
       created_at, updated_at, last_activity_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'main', 'x', ?, ?, ?)`,
    id,
    group.id,
    more.name,
    `path-${id}`,
    more.description ?? null,
    more.visibility ?? 'public',
    `@x/${id}`,
    time,
    time,
    time,
  )
}
// With this number of projects the database reads lists in index order instead of sorting them.
ctx().db.transaction(() => {
  for (let id = 1; id <= 2500; id++)
    insert(id, { name: `Common ${id}`, visibility: id % 5 === 0 ? 'private' : 'public' })
  insert(3000, { name: 'Näher "am" Ziel', description: 'Half 50%_done' })
  insert(3001, { name: 'Hidden needle', visibility: 'private' })
})

const names = async (user: typeof ada | null, query: string) => {
  const { status, body } = await as(user).get(`/projects?${query}`)
  expect(status).toBe(200)
  return body.map((project: { name: string }) => project.name)
}

describe('a search among thousands', () => {
  it.each([
    ['search=n%C3%A4her', ['Näher "am" Ziel']],
    ['search=%22am%22', ['Näher "am" Ziel']],
    ['search=m%22', ['Näher "am" Ziel']],
    ['search=50%25_', ['Näher "am" Ziel']],
    ['search=NEEDLE', []],
    ['search=OR%20NOT', []],
    ['search=*', []],
    ['search=common%202500&order_by=similarity', []],
    ['search=common%202499', ['Common 2499']],
    ['search=zie&search_namespaces=true', ['Näher "am" Ziel']],
  ])('finds by %s what is there and seen', async (query, expected) => {
    expect(await names(ada, query)).toEqual(expected)
  })

  it('follows changes of the text', async () => {
    expect(await names(root, 'search=needle')).toEqual(['Hidden needle'])
    await as(root).put('/projects/3001', { name: 'Haystack', description: 'sewing' })
    expect(await names(root, 'search=needle')).toEqual([])
    expect(await names(root, 'search=sewing')).toEqual(['Haystack'])
    await as(root).delete('/projects/3001')
    expect(await names(root, 'search=sewing')).toEqual([])
  })
})

describe('a list of thousands', () => {
  it('hides what the caller may not see, in every order', async () => {
    const last = (query: string) => names(ada, `${query}&per_page=3`)
    expect(await last('order_by=id&sort=asc')).toEqual(['Common 1', 'Common 2', 'Common 3'])
    expect(await last('order_by=created_at')).toEqual(['Näher "am" Ziel', 'Common 2499', 'Common 2498'])
    expect(await last('order_by=updated_at&search=common&sort=asc&page=2')).toEqual([
      'Common 4',
      'Common 6',
      'Common 7',
    ])
    expect(await last('order_by=last_activity_at&visibility=public&search=2499')).toEqual(['Common 2499'])
    expect(await last('order_by=name&sort=asc')).toEqual(['Common 1', 'Common 1001', 'Common 1002'])
    expect(await last('order_by=path&sort=asc')).toEqual(['Common 1', 'Common 1001', 'Common 1002'])
    expect(await last('visibility=private')).toEqual([])
    expect(await names(root, 'visibility=private&per_page=2')).toEqual(['Common 2500', 'Common 2495'])
  })

  it('counts what the caller may see', async () => {
    const total = async (user: typeof ada | null, query: string) =>
      (await as(user).get(`/projects?per_page=1&${query}`)).headers.get('x-total')
    expect(await total(ada, '')).toBe('2001')
    expect(await total(null, 'search=common')).toBe('2000')
    expect(await total(root, 'search=common')).toBe('2500')
    expect(await total(ada, 'visibility=private')).toBe('0')
  })

  it('pages by keyset, with every project once', async () => {
    const seen = new Set<number>()
    let path: string | undefined = '/projects?pagination=keyset&order_by=id&sort=asc&per_page=100&simple=true'
    let pages = 0
    while (path) {
      const { body, headers } = await as(ada).get(path)
      for (const { id } of body) seen.add(id)
      path = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
      pages++
    }
    expect([seen.size, pages]).toEqual([2001, 21])
  })
})
