import { beforeAll, describe, expect, it } from 'vitest'

import { sendRaw } from '../../support/raw-http.ts'
import { world, type World } from '../../support/world.ts'

let w: World
beforeAll(async () => {
  w = await world()
})

const get = (target: string, ...lines: string[]): string =>
  [
    `GET ${target} HTTP/1.1`,
    `Host: 127.0.0.1:${new URL(w.url).port}`,
    'Connection: close',
    ...lines,
    '',
    '',
  ].join('\r\n')

describe('unknown addresses', () => {
  it.each([
    '/nothing',
    '/projects/1/nothing',
    '/',
    '',
    '/version/',
    '//version',
    '/VERSION',
    '/version/../user',
  ])('return 404 below the API: %j', async (path) => {
    const answer = await sendRaw(w.url, get(`/api/v4${path}`))
    expect([answer.status, answer.headers['content-type'], JSON.parse(answer.body)]).toEqual([
      404,
      'application/json',
      { error: '404 Not Found' },
    ])
  })

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('do so for %s', async (method) => {
    const response = await fetch(`${w.url}/api/v4/nothing`, { method })
    expect(response.status).toBe(404)
  })

  it('report that version 3 was removed', async () => {
    const answer = await w.as(null).get('!/api/v3/projects')
    expect([answer.status, answer.body]).toEqual([
      410,
      { error: 'API V3 is no longer supported. Use API V4 instead.' },
    ])
    expect((await w.as(null).get('!/api')).status).toBe(404)
    expect((await w.as(null).get('!/api/v5/projects')).status).toBe(404)
  })

  it('return 404 without a window', async () => {
    for (const path of ['!/', '!/group/project', '!/assets/x.js', '!/favicon.ico'])
      expect((await w.as(null).get(path)).status).toBe(404)
  })
})

describe('methods', () => {
  it('that a path lacks return 405 with the allowed ones', async () => {
    const answer = await w.as(w.root).patch('/version')
    expect([answer.status, answer.body, answer.headers.get('allow')]).toEqual([
      405,
      { error: '405 Not Allowed' },
      'GET, HEAD, OPTIONS',
    ])
    expect((await w.as(null).delete('/application/settings')).headers.get('allow')).toBe(
      'GET, HEAD, OPTIONS, PUT',
    )
  })

  it('are listed by OPTIONS', async () => {
    const answer = await w.as(null).options('/application/settings')
    expect([answer.status, answer.text, answer.headers.get('allow')]).toEqual([
      204,
      '',
      'GET, HEAD, OPTIONS, PUT',
    ])
  })

  it('HEAD answers like GET, without the body', async () => {
    const [head, full] = [await w.as(w.root).head('/version'), await w.as(w.root).get('/version')]
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['etag', 'content-type', 'content-length', 'cache-control'])
      expect([name, head.headers.get(name)]).toEqual([name, full.headers.get(name)])
    expect((await w.as(null).head('/version')).status).toBe(401)
    expect((await w.as(null).head('/nothing')).status).toBe(404)
  })

  it.each(['TRACE', 'CONNECT', 'PROPFIND', 'QUERY', 'PURGE'])(
    'unknown to the contract are refused: %s',
    async (method) => {
      const answer = await sendRaw(w.url, get('/api/v4/version').replace('GET', method))
      expect([0, 400, 405]).toContain(answer.status)
    },
  )
})

describe('request targets', () => {
  it.each([
    '/api/v4/projects/%',
    '/api/v4/projects/%zz',
    '/api/v4/projects/%00',
    '/api/v4/projects/%C0%AF',
    '/api/v4/projects/..%2f..%2fetc%2fpasswd',
    '/api/v4/projects/../../../etc/passwd',
    '/api/v4/users/1%00',
    '/api/v4/users?search=%',
    '/api/v4/users?search=%00',
    '/api/v4/users?%=1',
    '/api/v4/users?a[b=1&a=1&a[c]=2',
    '/api/v4/users?search[]=1',
    '/api/v4/users?search[a]=1',
    '/api/v4/users?active[a]=1',
    '/api/v4/users?__proto__[a]=1&constructor=2',
    '/%',
    '/%00',
    '/../../etc/passwd',
    '/assets/../../package.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/-/docs/..%2f..%2fpackage.json',
    '/-/docs/%',
    '/-/events?%=1',
    '/-/session?%',
    '*',
    'http://127.0.0.1',
    'http://127.0.0.1/api/v4/nothing',
    'http://[::1/api',
    'http://a b/api',
    'http://%zz/api',
    'ftp://x/api/v4/version',
    'nonsense',
    '//',
    '//etc/passwd',
    '/api/v4/users?a=1#fragment',
    '/\\..\\..\\windows',
    `/api/v4/${'a/'.repeat(2000)}`,
    `/api/v4/users?${'a[]=1&'.repeat(2000)}`,
    `/api/v4/users?a${'[b]'.repeat(1000)}=1`,
  ])('get a response below 500: %s', async (target) => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD']) {
      const answer = await sendRaw(w.url, get(target).replace('GET', method))
      expect(answer.closed).toBe(true)
      expect(answer.status).toBeGreaterThanOrEqual(200)
      expect(answer.status).toBeLessThan(500)
      expect(answer.text).not.toContain('root:')
      expect(answer.text).not.toMatch(/node_modules|\.ts:\d/)
    }
  })

  it('that are too long are refused', async () => {
    expect((await sendRaw(w.url, get(`/api/v4/users?search=${'x'.repeat(20_000)}`))).status).toBe(431)
  })
})

describe('bytes that are no HTTP request', () => {
  it.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    ['no host', 'GET /api/v4/version HTTP/1.1\r\n\r\n'],
    ['an old version without a host', 'GET /api/v4/version HTTP/1.0\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n'],
    [
      'two lengths',
      'POST /api/v4/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
    ],
    [
      'a length and chunks',
      'POST /api/v4/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a bad chunk',
      'POST /-/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['a negative length', 'POST /api/v4/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n'],
    ['TLS', Buffer.from('16030100a50100', 'hex')],
  ])('are refused: %s', async (_, bytes) => {
    const answer = await sendRaw(w.url, bytes)
    expect(answer.closed).toBe(true)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
  })

  it('do not affect the instance', async () => {
    expect((await w.as(null).get('/-/health')).status).toBe(200)
  })
})

describe('bodies', () => {
  const send = (type: string | undefined, body: string, more: Record<string, string> = {}) =>
    w.as(w.root).put('/application/settings', body, { ...(type ? { 'content-type': type } : {}), ...more })

  it('that are null count as empty, because Go clients send them', async () => {
    const headers = { 'content-type': 'application/json' }
    const { status, body } = await w.as(w.root).post('/projects', 'null', headers)
    expect(status).toBe(400)
    expect(body.error).toContain('name, path are missing')
  })

  it.each(['{', '[]', '1', '"x"', '{"a":1', "{'a':1}"])(
    'that are no JSON object are refused: %s',
    async (body) => {
      const answer = await send('application/json', body)
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: 'message body does not match declared format' },
      ])
    },
  )

  it('of another type are refused', async () => {
    const answer = await send('application/xml', '<a/>')
    expect([answer.status, answer.body]).toEqual([
      415,
      { error: "The provided content-type 'application/xml' is not supported." },
    ])
  })

  it('may be empty with any content type', async () => {
    const answer = await w.as(w.root).delete('/personal_access_tokens/999', undefined, {
      'content-type': 'application/json',
    })
    expect(answer.status).toBe(404)
    const fetched = await fetch(`${w.url}/api/v4/version`, {
      headers: { 'private-token': w.root.token, 'content-type': 'application/json' },
    })
    expect(fetched.status).toBe(200)
  })

  it('above a megabyte are refused, with a length and without', async () => {
    const body = JSON.stringify({ sign_in_text: 'x'.repeat(1_100_000) })
    const answer = await send('application/json', body)
    expect([answer.status, answer.body]).toEqual([413, { message: '413 Request Entity Too Large' }])
    const head = `PUT /api/v4/application/settings HTTP/1.1\r\nHost: localhost\r\nPRIVATE-TOKEN: ${w.root.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const chunked = await sendRaw(w.url, [head, chunk.repeat(40), '0\r\n\r\n'])
    expect([chunked.status, chunked.closed]).toEqual([413, true])
  })

  it('that end too early get 400 or nothing, and the next request is answered', async () => {
    const head = `PUT /api/v4/application/settings HTTP/1.1\r\nHost: localhost\r\nPRIVATE-TOKEN: ${w.root.token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":`
    const answer = await sendRaw(w.url, head, 200)
    expect(answer.status).toBe(0)
    expect((await w.as(w.root).get('/version')).status).toBe(200)
  })

  it('that are ignored do not affect the next request of the connection', async () => {
    const body = 'x'.repeat(5000)
    const first = `POST /api/v4/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const answer = await sendRaw(w.url, first + get('/-/liveness'))
    expect([...answer.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['404', '200'])
  })

  it('take precedence over the query, and the path over both', async () => {
    const body = new URLSearchParams({ default_projects_limit: '7' })
    const both = await w
      .as(w.root)
      .put('/application/settings?default_projects_limit=8&max_attachment_size=9', body)
    expect(both.body).toMatchObject({ default_projects_limit: 7, max_attachment_size: 9 })
    expect((await w.as(w.root).get('/users/1?id=2')).body.id).toBe(1)
    expect((await w.as(w.root).put('/users/1', { id: 2, note: 'x' })).body).toMatchObject({
      id: 1,
      note: 'x',
    })
  })
})

describe('headers of every response', () => {
  it('contain the request id, and forbid embedding', async () => {
    const ids = new Set<string>()
    for (const path of ['/version', '/nothing', '/-/health', '!/']) {
      const { headers } = await w.as(w.root).get(path)
      const id = headers.get('x-request-id')!
      ids.add(id)
      expect(JSON.parse(headers.get('x-gitlab-meta')!)).toEqual({ correlation_id: id, version: '1' })
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
      expect(headers.get('x-runtime')).toMatch(/^\d+\.\d{6}$/)
    }
    expect(ids.size).toBe(4)
  })

  it('name JSON without a character set', async () => {
    for (const path of ['/version', '/nothing', '/users/999999'])
      expect((await w.as(w.root).get(path)).headers.get('content-type')).toBe('application/json')
    expect((await w.as(null).get('/version')).headers.get('content-type')).toBe('application/json')
  })
})

describe('conditional requests', () => {
  it('return 304 without a body while nothing has changed', async () => {
    const first = await w.as(w.root).get('/application/settings')
    const etag = first.headers.get('etag')!
    expect(etag).toMatch(/^W\/"[0-9a-f]+"$/)
    expect(first.headers.get('cache-control')).toBe('max-age=0, private, must-revalidate')
    const again = await w.as(w.root).get('/application/settings', { 'if-none-match': etag })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
    await w.as(w.root).put('/application/settings', { sign_in_text: 'changed' })
    const changed = await w.as(w.root).get('/application/settings', { 'if-none-match': etag })
    expect([changed.status, changed.body.sign_in_text]).toEqual([200, 'changed'])
  })

  it('do not apply to errors and writes', async () => {
    const put = await w
      .as(w.root)
      .put('/application/settings', { sign_in_text: 'x' }, { 'if-none-match': '*' })
    expect([put.status, put.headers.get('etag'), put.headers.get('cache-control')]).toEqual([
      200,
      null,
      'no-cache',
    ])
    expect((await w.as(null).get('/version', { 'if-none-match': '*' })).status).toBe(401)
  })
})
