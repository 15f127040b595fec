import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { endpoint, type Route } from '../../../server/http/endpoint.ts'
import { noContent } from '../../../server/http/returns.ts'
import { RouteTable } from '../../../server/http/route-table.ts'

function tableOf(...routes: Route[]): RouteTable {
  return new RouteTable(
    routes.map((route) =>
      endpoint(route, { summary: route, can: 'anyone', returns: noContent, run: () => undefined }),
    ),
  )
}

/** `route {values}`, `405 methods` or `404`. */
function found(table: RouteTable, method: string, path: string): unknown {
  const match = table.find(method, path)
  if (!match) return 404
  return 'allowed' in match ? match.allowed : [match.endpoint.route, match.values]
}

describe('finding an endpoint', () => {
  const table = tableOf(
    'GET /projects',
    'POST /projects',
    'GET /projects/:id',
    'DELETE /projects/:id',
    'GET /projects/:id/repository/files/:file_path',
    'PUT /projects/:id/repository/files/:file_path',
    'GET /projects/:id/repository/files/:file_path/raw',
    'GET /projects/:id/repository/archive',
    'GET /projects/:id/repository/archive.:format',
    'GET /projects/:id/wikis/:slug',
    'PUT /projects/:id/wikis/:slug',
    'POST /projects/:id/wikis/attachments',
    'GET /personal_access_tokens/self',
    'GET /personal_access_tokens/:id',
    'DELETE /personal_access_tokens/:id',
  )

  it.each([
    ['/projects/5', { id: '5' }],
    ['/projects/group%2Fsub%2Fproject', { id: 'group/sub/project' }],
    ['/projects/group%2fproject', { id: 'group/project' }],
    ['/projects/a%2Eb', { id: 'a.b' }],
    ['/projects/%252F', { id: '%2F' }],
    ['/projects/a+b', { id: 'a+b' }],
    ['/projects/%F0%9F%A6%86', { id: '🦆' }],
    ['/projects/..', { id: '..' }],
    ['/projects/__proto__', { id: '__proto__' }],
  ])('keeps %s one segment and decodes it once', (path, values) => {
    expect(found(table, 'GET', path)).toEqual(['GET /projects/:id', values])
  })

  it('treats names of JavaScript properties as ordinary names', () => {
    expect(found(table, 'GET', '/constructor')).toBe(404)
    expect(found(table, 'GET', '/__proto__/5')).toBe(404)
  })

  it('accepts several encoded values', () => {
    expect(found(table, 'GET', '/projects/a%2Fb/repository/files/lib%2Fa.rb/raw')).toEqual([
      'GET /projects/:id/repository/files/:file_path/raw',
      { id: 'a/b', file_path: 'lib/a.rb' },
    ])
  })

  it.each([
    '/projects/%',
    '/projects/%zz',
    '/projects/%00',
    '/projects/a%00b',
    '/projects/%C0%AF',
    '/projects/%ED%A0%80',
  ])('finds nothing for %s', (path) => {
    expect(found(table, 'GET', path)).toBe(404)
  })

  it.each([
    '',
    '/',
    '/projects/',
    '//projects',
    '/projects//repository/archive',
    '/projects/5/',
    '/nothing',
    '/Projects',
  ])('finds no endpoint for the path %j', (path) => {
    expect(found(table, 'GET', path)).toBe(404)
  })

  it('prefers fixed segments to parameters', () => {
    expect(found(table, 'GET', '/personal_access_tokens/self')).toEqual([
      'GET /personal_access_tokens/self',
      {},
    ])
    expect(found(table, 'GET', '/personal_access_tokens/7')).toEqual([
      'GET /personal_access_tokens/:id',
      { id: '7' },
    ])
  })

  it('tries the parameter if the fixed segment lacks the method', () => {
    expect(found(table, 'DELETE', '/personal_access_tokens/self')).toEqual([
      'DELETE /personal_access_tokens/:id',
      { id: 'self' },
    ])
    expect(found(table, 'GET', '/projects/1/wikis/attachments')).toEqual([
      'GET /projects/:id/wikis/:slug',
      { id: '1', slug: 'attachments' },
    ])
  })

  it('tries the parameter if the fixed segment leads nowhere', () => {
    const two = tableOf('GET /a/b/c', 'GET /a/:x/d', 'GET /:y/b/e')
    expect(found(two, 'GET', '/a/b/d')).toEqual(['GET /a/:x/d', { x: 'b' }])
    expect(found(two, 'GET', '/a/b/e')).toEqual(['GET /:y/b/e', { y: 'a' }])
  })

  it('binds the rest of a segment with a fixed beginning', () => {
    const archive = '/projects/1/repository/archive'
    expect(found(table, 'GET', archive)).toEqual(['GET /projects/:id/repository/archive', { id: '1' }])
    expect(found(table, 'GET', `${archive}.tar.gz`)).toEqual([
      'GET /projects/:id/repository/archive.:format',
      { id: '1', format: 'tar.gz' },
    ])
    expect(found(table, 'GET', `${archive}.`)).toBe(404)
    expect(found(table, 'GET', `${archive}x`)).toBe(404)
  })
})

describe('methods', () => {
  const table = tableOf('GET /items', 'POST /items', 'DELETE /items/:id', 'PUT /items/all')

  it('answers HEAD for every GET', () => {
    expect(found(table, 'HEAD', '/items')).toEqual(['GET /items', {}])
    expect(found(table, 'HEAD', '/items/1')).toEqual(['DELETE', 'OPTIONS'])
  })

  it('lists the methods of a path', () => {
    expect(found(table, 'PATCH', '/items')).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST'])
    expect(found(table, 'GET', '/items/all')).toEqual(['DELETE', 'OPTIONS', 'PUT'])
  })
})

describe('the table', () => {
  it('refuses two endpoints of one method and shape', () => {
    expect(() => tableOf('GET /a/:x', 'GET /a/:y')).toThrow('Two endpoints answer GET /a/:y.')
    expect(() => tableOf('GET /a/:x', 'POST /a/:y', 'GET /a/b')).not.toThrow()
  })

  it('finds each of its routes for any values', () => {
    const segment = fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(':x', ':y', ':z'))
    const value = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0') && text.isWellFormed())
    fc.assert(
      fc.property(
        fc.array(segment, { minLength: 1, maxLength: 4 }),
        fc.array(value, { minLength: 4, maxLength: 4 }),
        (path, values) => {
          const table = tableOf(`GET /${path.join('/')}`)
          const segments = path.map((part, index) =>
            part.startsWith(':') ? encodeURIComponent(values[index]!) : part,
          )
          const expected: Record<string, string> = {}
          for (const [index, part] of path.entries())
            if (part.startsWith(':')) expected[part.slice(1)] = values[index]!
          expect(found(table, 'GET', `/${segments.join('/')}`)).toEqual([`GET /${path.join('/')}`, expected])
        },
      ),
    )
  })
})

describe('parameters of several segments', () => {
  const spanning = (route: Route, spans: string[]) =>
    endpoint(route, {
      summary: route,
      can: 'anyone',
      slashParams: spans,
      returns: noContent,
      run: () => undefined,
    })
  const table = new RouteTable([
    spanning('GET /jobs/:id/files/:path', ['path']),
    spanning('GET /jobs/files/:ref/raw/:path', ['ref', 'path']),
    spanning('GET /jobs/files/:ref/download', ['ref']),
    spanning('POST /jobs/:id/files/keep', []),
  ])
  const values = (path: string) => {
    const match = table.find('GET', path)
    return match && 'values' in match ? match.values : match
  }

  it('take the rest of a path, decoded once', () => {
    expect(values('/jobs/5/files/a')).toEqual({ id: '5', path: 'a' })
    expect(values('/jobs/5/files/a/b%20c/d%2Fe')).toEqual({ id: '5', path: 'a/b c/d/e' })
    expect(values('/jobs/5/files/keep')).toEqual({ id: '5', path: 'keep' })
    expect(values('/jobs/5/files/keep/it')).toEqual({ id: '5', path: 'keep/it' })
    expect(values('/jobs/5/files')).toBeUndefined()
    expect(values('/jobs/5/files/a/%zz')).toBeUndefined()
    expect(table.find('POST', '/jobs/5/files/keep')).toMatchObject({ values: { id: '5' } })
    expect(table.find('POST', '/jobs/5/files/a/b')).toEqual({ allowed: ['GET', 'HEAD', 'OPTIONS'] })
  })

  it('match as few segments as possible', () => {
    expect(values('/jobs/files/main/raw/a/b')).toEqual({ ref: 'main', path: 'a/b' })
    expect(values('/jobs/files/x/y/raw/a')).toEqual({ ref: 'x/y', path: 'a' })
    expect(values('/jobs/files/x/raw/y/raw/a')).toEqual({ ref: 'x', path: 'y/raw/a' })
    expect(values('/jobs/files/x/download/download')).toEqual({ ref: 'x/download' })
    expect(values('/jobs/files/x%2Fy/download')).toEqual({ ref: 'x/y' })
  })

  it('are matched in linear time', () => {
    const long = `/jobs/files${'/raw'.repeat(20_000)}`
    expect(values(long)).toMatchObject({ ref: 'raw' })
    expect(values(`${long}/download`)).toMatchObject({ ref: 'raw' })
  })
})
