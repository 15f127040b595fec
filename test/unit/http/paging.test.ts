import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { keysetPage, pageHeaders, pagingParams, readPaging } from '../../../server/http/paging.ts'
import type { ListOptions } from '../../../server/http/returns.ts'
import { Failure } from '../../../server/lib/fail.ts'

const projects: ListOptions = {
  order_by: ['created_at', 'id', 'name'],
  keyset: ['id'],
  type: 'Project',
}
const request = { address: 'http://127.0.0.1:7080/api/v4/projects', query: '', path: {} }

function refusal(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure) return { kind: error.kind, ...error.body }
    throw error
  }
  return 'nothing was refused'
}

/** Maps rel to URL of a Link header. */
function links(header: string | undefined): Record<string, string> {
  return Object.fromEntries(
    (header ?? '')
      .split(', ')
      .filter((part) => part !== '')
      .map((part) => {
        const [, url, rel] = /^<(.*)>; rel="(.*)"$/.exec(part) ?? []
        return [rel, url]
      }),
  ) as Record<string, string>
}

function headersOf(page: number, per_page: number, total: number | undefined, more: object = {}) {
  const paging = readPaging({}, { page, per_page })
  const left = (total ?? Infinity) - paging.offset
  const count = Math.max(0, Math.min(left, paging.per_page))
  return pageHeaders({ ...request, ...more }, paging, { rows: Array.from({ length: count }), total }, count)
}

describe('the requested page', () => {
  it('has defaults', () => {
    expect(readPaging({}, {})).toEqual({
      page: 1,
      per_page: 20,
      limit: 20,
      offset: 0,
      order_by: 'id',
      sort: 'desc',
      keyset: false,
    })
    expect(readPaging({ ...projects, order: 'id', sort: 'asc' }, {})).toMatchObject({
      order_by: 'id',
      sort: 'asc',
    })
    expect(readPaging(projects, {})).toMatchObject({ order_by: 'created_at', sort: 'desc' })
  })

  it('cuts more than 100 rows to 100', () => {
    expect(readPaging({}, { per_page: 1000, page: 3 })).toMatchObject({
      per_page: 100,
      limit: 100,
      offset: 200,
    })
  })

  it('refuses an offset above 50,000 if keyset paging is possible', () => {
    expect(readPaging(projects, { page: 500, per_page: 100 })).toMatchObject({ offset: 49_900 })
    expect(refusal(() => readPaging(projects, { page: 501, per_page: 100 }))).toEqual({
      kind: 'not_allowed',
      error:
        'Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type Project. Remaining records can be retrieved using keyset pagination.',
    })
    expect(readPaging({}, { page: 501, per_page: 100 })).toMatchObject({ offset: 50_000 })
  })

  it('offers keyset paging for the columns that have it', () => {
    expect(
      readPaging(projects, { pagination: 'keyset', order_by: 'id', per_page: 10, page: 9 }),
    ).toMatchObject({
      keyset: true,
      limit: 11,
      offset: 0,
    })
    expect(refusal(() => readPaging(projects, { pagination: 'keyset', order_by: 'name' }))).toEqual({
      kind: 'not_allowed',
      error: 'Keyset pagination is not yet available for this type of request',
    })
  })

  it('declares no paging for complete lists', () => {
    expect(pagingParams({ paging: 'none' })).toEqual({})
    expect(Object.keys(pagingParams({}))).toEqual(['page', 'per_page', 'pagination'])
    expect(Object.keys(pagingParams(projects))).toEqual([
      'page',
      'per_page',
      'pagination',
      'order_by',
      'sort',
    ])
  })
})

describe('headers of a page', () => {
  it('are complete in the middle of a list', () => {
    const headers = headersOf(2, 10, 45)
    expect(headers).toMatchObject({
      'X-Page': '2',
      'X-Per-Page': '10',
      'X-Next-Page': '3',
      'X-Prev-Page': '1',
      'X-Total': '45',
      'X-Total-Pages': '5',
    })
    expect(headers['Link']).toBe(
      ['prev', 'next', 'first', 'last']
        .map((rel, index) => `<${request.address}?page=${[1, 3, 1, 5][index]}&per_page=10>; rel="${rel}"`)
        .join(', '),
    )
  })

  it('have no previous page at the start and no next page at the end', () => {
    expect(headersOf(1, 10, 45)).toMatchObject({ 'X-Prev-Page': '', 'X-Next-Page': '2' })
    expect(Object.keys(links(headersOf(1, 10, 45)['Link']))).toEqual(['next', 'first', 'last'])
    expect(headersOf(5, 10, 45)).toMatchObject({ 'X-Prev-Page': '4', 'X-Next-Page': '' })
    expect(Object.keys(links(headersOf(5, 10, 45)['Link']))).toEqual(['prev', 'first', 'last'])
  })

  it('count an empty list as one page', () => {
    expect(headersOf(1, 20, 0)).toMatchObject({ 'X-Total': '0', 'X-Total-Pages': '1', 'X-Next-Page': '' })
  })

  it('omit the count above 10,000 rows', () => {
    expect(headersOf(1, 20, 10_000)).toMatchObject({ 'X-Total': '10000', 'X-Total-Pages': '500' })
    const many = headersOf(1, 20, 10_001)
    expect(many).not.toHaveProperty('X-Total')
    expect(many).not.toHaveProperty('X-Total-Pages')
    expect(Object.keys(links(many['Link']))).toEqual(['next', 'first'])
    expect(many['X-Next-Page']).toBe('2')
  })

  it('have a next page while pages of an uncounted list are full', () => {
    expect(headersOf(3, 20, undefined)['X-Next-Page']).toBe('4')
    const paging = readPaging({}, { page: 3 })
    expect(pageHeaders(request, paging, { rows: [1] }, 1)['X-Next-Page']).toBe('')
  })

  it('repeat the query and the path, but no token', () => {
    const headers = headersOf(1, 10, 45, {
      query: 'labels[]=a%26b&search=x+y&private_token=secret&access%5Ftoken=secret&job_token=secret&page=1',
      path: { id: 'group/project' },
    })
    const next = new URL(links(headers['Link'])['next']!)
    expect(Object.fromEntries(next.searchParams)).toEqual({
      'labels[]': 'a&b',
      search: 'x y',
      id: 'group/project',
      page: '2',
      per_page: '10',
    })
    expect(next.search).toContain('labels%5B%5D=a%26b')
    expect(headers['Link']).not.toContain('secret')
  })

  it('stay small enough to be read, whatever the query', () => {
    const relsOf = (length: number): string[] =>
      Object.keys(links(headersOf(3, 10, 100, { query: `q=${'x'.repeat(length)}` })['Link']))
    expect(relsOf(1000)).toEqual(['prev', 'next', 'first', 'last'])
    expect(relsOf(5000)).toEqual(['prev', 'next'])
    expect(relsOf(8000)).toEqual(['next'])
    expect(relsOf(15_000)).toEqual([])
  })

  it('escape the query', () => {
    const odd = fc.string().map((text) => `q=${encodeURIComponent(text.toWellFormed())}`)
    fc.assert(
      fc.property(odd, fc.integer({ min: 1, max: 50 }), (query, page) => {
        const { Link } = headersOf(page, 7, 300, { query })
        expect(Link).toMatch(/^(<[^<>"\s,]*>; rel="(prev|next|first|last)"(, |$))+$/)
      }),
    )
  })
})

describe('keyset pages', () => {
  const rows = (...ids: number[]) => ids.map((id) => ({ id }))
  const ask = (sort: 'asc' | 'desc') =>
    readPaging(projects, { pagination: 'keyset', order_by: 'id', sort, per_page: 2 })

  it('link to the next page by the last id', () => {
    expect(keysetPage(rows(1, 2, 3), ask('asc'))).toEqual({ rows: rows(1, 2), next: { id_after: '2' } })
    expect(keysetPage(rows(9, 8, 7), ask('desc'))).toEqual({ rows: rows(9, 8), next: { id_before: '8' } })
    expect(keysetPage(rows(1, 2), ask('asc')).next).toBeUndefined()
  })

  it('have only a link to the next page', () => {
    const shown = keysetPage(rows(1, 2, 3), ask('asc'))
    const query = 'pagination=keyset&order_by=id&sort=asc&id_after=0'
    const headers = pageHeaders({ ...request, query }, ask('asc'), shown, 2)
    expect(Object.keys(headers)).toEqual(['Link'])
    expect(new URL(links(headers['Link'])['next']!).searchParams.getAll('id_after')).toEqual(['2'])
    expect(pageHeaders(request, ask('asc'), { rows: rows(1) }, 1)).toEqual({})
  })

  it('show every row exactly once when followed to the end', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { maxLength: 30 })
    fc.assert(
      fc.property(ids, fc.constantFrom('asc' as const, 'desc' as const), (all, sort) => {
        const ordered = all.toSorted((a, b) => (sort === 'asc' ? a - b : b - a))
        const seen: number[] = []
        let after: number | undefined
        for (let guard = 0; guard < 40; guard++) {
          const start = after === undefined ? 0 : ordered.indexOf(after) + 1
          const paging = ask(sort)
          const page = keysetPage(rows(...ordered.slice(start, start + paging.limit)), paging)
          seen.push(...page.rows.map((row) => row.id))
          if (!page.next) break
          after = Number(Object.values(page.next)[0])
        }
        expect(seen).toEqual(ordered)
      }),
    )
  })
})
