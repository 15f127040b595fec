import { beforeAll, describe, expect, it } from 'vitest'

import { world, type World } from '../../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
  for (let number = 0; number < 24; number++) w.make.user({ username: `person${number}` })
})

const rels = (link: string | null): Record<string, string> =>
  Object.fromEntries(
    [...(link ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, url, rel]) => [rel, url]),
  ) as Record<string, string>

describe('a list', () => {
  it('is read page by page', async () => {
    const answer = await w.as(w.root).get('/users?per_page=10&page=2&search=person')
    expect(answer.body).toHaveLength(10)
    const { headers } = answer
    expect(
      ['x-page', 'x-per-page', 'x-next-page', 'x-prev-page', 'x-total', 'x-total-pages'].map((name) =>
        headers.get(name),
      ),
    ).toEqual(['2', '10', '3', '1', '24', '3'])
    expect(Object.keys(rels(headers.get('link')))).toEqual(['prev', 'next', 'first', 'last'])
  })

  it('is complete when its links are followed', async () => {
    const seen: number[] = []
    let next: string | undefined = `${w.url}/api/v4/users?per_page=7&search=person`
    while (next) {
      const response: Response = await fetch(next, { headers: { 'private-token': w.root.token } })
      seen.push(...((await response.json()) as { id: number }[]).map((user) => user.id))
      next = rels(response.headers.get('link'))['next']
    }
    expect(seen).toHaveLength(24)
    expect(new Set(seen).size).toBe(24)
  })

  it('is empty past its end', async () => {
    const answer = await w.as(w.root).get('/users?page=1000')
    expect([answer.status, answer.body, answer.headers.get('x-next-page')]).toEqual([200, [], ''])
  })

  it('returns at most a hundred rows', async () => {
    expect((await w.as(w.root).get('/users?per_page=100000')).headers.get('x-per-page')).toBe('100')
  })

  it.each([
    ['page=0', 'page does not have a valid value'],
    ['page=-1', 'page does not have a valid value'],
    ['page=x', 'page is invalid'],
    ['page=1.5', 'page is invalid'],
    ['page[]=1', 'page is invalid'],
    ['page[a]=1', 'page is invalid'],
    ['page=99999999999999999999', 'page is invalid'],
    ['per_page=0', 'per_page has a value not allowed'],
    ['per_page=-1', 'per_page does not have a valid value'],
    ['per_page=many', 'per_page is invalid'],
    ['order_by=password_hash', 'order_by does not have a valid value'],
    ['order_by[]=id', 'order_by does not have a valid value'],
    ['sort=sideways', 'sort does not have a valid value'],
    ['page=x&per_page=0', 'page is invalid, per_page has a value not allowed'],
  ])('refuses %s', async (query, error) => {
    const answer = await w.as(w.root).get(`/users?${query}`)
    expect([answer.status, answer.body]).toEqual([400, { error }])
  })

  it('accepts the largest page number', async () => {
    const answer = await w.as(w.root).get(`/users?page=${Number.MAX_SAFE_INTEGER}&per_page=100`)
    expect([answer.status, answer.body]).toEqual([200, []])
  })

  it('treats blank paging parameters as missing', async () => {
    expect((await w.as(w.root).get('/users?page=&per_page=&order_by=&sort=')).headers.get('x-page')).toBe('1')
  })

  it('of projects ends at an offset of 50,000, and continues with keyset paging', async () => {
    const answer = await w.as(w.root).get('/projects?page=501&per_page=100')
    expect([answer.status, answer.body.error]).toEqual([
      405,
      expect.stringContaining('maximum allowed offset of 50000'),
    ])
    const keyset = await w.as(w.root).get('/projects?pagination=keyset&order_by=id&page=501&per_page=100')
    expect([keyset.status, keyset.headers.get('x-page')]).toEqual([200, null])
    const other = await w.as(w.root).get('/projects?pagination=keyset&order_by=name')
    expect([other.status, other.body]).toEqual([
      405,
      { error: 'Keyset pagination is not yet available for this type of request' },
    ])
  })

  it('has links with the address of the instance, the path and the query', async () => {
    const project = await w.make.project()
    const { headers } = await w.as(w.root).get(`/projects/${project.id}/members?query=ro%26ot&per_page=1`)
    const first = new URL(rels(headers.get('link'))['first']!)
    expect(first.origin).toBe(w.url)
    expect(Object.fromEntries(first.searchParams)).toEqual({
      query: 'ro&ot',
      per_page: '1',
      page: '1',
      id: String(project.id),
    })
  })
})
