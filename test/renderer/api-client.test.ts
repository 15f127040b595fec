import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  api,
  apiHead,
  apiPage,
  ApiError,
  buildRequest,
  onSignedOut,
  readPage,
} from '../../renderer/api/client.ts'
import { fileUrl, forgetProof, keepProof, openFiles } from '../../renderer/api/page-token.ts'

describe('the request of an endpoint', () => {
  it('encodes every path parameter as one segment', () => {
    const built = buildRequest('GET /projects/:id/repository/files/:file_path', {
      id: 'group/project',
      file_path: 'src/a b#.ts',
      ref: 'main',
    })
    expect(built.url).toBe('/api/v4/projects/group%2Fproject/repository/files/src%2Fa%20b%23.ts?ref=main')
  })

  it('has a path outside of the API for endpoints of the window', () => {
    expect(buildRequest('GET /-/session').url).toBe('/-/session')
  })

  it('omits missing parameters and repeats lists', () => {
    const built = buildRequest('GET /projects', {
      search: undefined,
      visibility: null,
      topics: ['a', 'b'],
      page: 2,
    })
    expect(built.url).toBe('/api/v4/projects?topics%5B%5D=a&topics%5B%5D=b&page=2')
  })

  it('has the other parameters as its body for a write', () => {
    expect(buildRequest('PUT /projects/:id', { id: 7, name: 'x', description: null })).toEqual({
      method: 'PUT',
      url: '/api/v4/projects/7',
      body: { name: 'x', description: null },
    })
  })

  it('has the parameters of a DELETE in its query', () => {
    expect(buildRequest('DELETE /projects/:id', { id: 7, permanently_remove: true })).toEqual({
      method: 'DELETE',
      url: '/api/v4/projects/7?permanently_remove=true',
      body: undefined,
    })
  })
})

describe('the URLs of files', () => {
  const ticket = 'a ticket'
  beforeEach(() => keepProof({ csrf_token: 'proof', file_ticket: ticket }))
  afterAll(() => forgetProof())

  it('have a ticket of this instance, and none for other hosts', () => {
    expect(fileUrl('/a/b/-/raw/main/x.png?version=2')).toBe(
      '/a/b/-/raw/main/x.png?version=2&page_ticket=a+ticket',
    )
    expect(fileUrl('https://other.example/x.png')).toBe('https://other.example/x.png')
    expect(fileUrl('data:image/png;base64,AA==')).toBe('data:image/png;base64,AA==')
    forgetProof()
    expect(fileUrl('/a/b/-/raw/main/x.png')).toBe('/a/b/-/raw/main/x.png')
  })

  it('have no ticket as long as they are not opened', async () => {
    const followed: string[] = []
    const links = ['/a/b/-/raw/main/x', '/-/admin/backups/1/download" download="', '/a/b/-/blob/main/x']
    document.body.innerHTML = links.map((link) => `<a href="${link}"><i>x</i></a>`).join('')
    const note = (event: Event) => {
      event.preventDefault()
      followed.push((event.target as Element).closest('a')?.getAttribute('href') ?? '')
    }
    window.addEventListener('click', openFiles, { capture: true })
    document.body.addEventListener('click', note)
    for (const inner of document.querySelectorAll('i')) inner.click()
    expect(followed).toEqual([
      '/a/b/-/raw/main/x?page_ticket=a+ticket',
      '/-/admin/backups/1/download?page_ticket=a+ticket',
      '/a/b/-/blob/main/x',
    ])
    await new Promise((done) => setTimeout(done))
    const shown = [...document.querySelectorAll('a')].map((element) => element.getAttribute('href'))
    expect(shown).toEqual(['/a/b/-/raw/main/x', '/-/admin/backups/1/download', '/a/b/-/blob/main/x'])
    window.removeEventListener('click', openFiles, { capture: true })
    document.body.removeEventListener('click', note)
  })
})

describe('the headers of a page', () => {
  it('contain the counts and the next page', () => {
    const headers = new Headers({ 'X-Page': '2', 'X-Per-Page': '20', 'X-Total': '41', 'X-Next-Page': '3' })
    expect(readPage([1], headers)).toEqual({ items: [1], page: 2, perPage: 20, total: 41, nextPage: 3 })
  })

  it('have an empty next page on the last page', () => {
    const headers = new Headers({ 'X-Page': '3', 'X-Per-Page': '20', 'X-Total': '41', 'X-Next-Page': '' })
    expect(readPage([1], headers).nextPage).toBeNull()
  })

  it('contain the next page in a link if the server does not count', () => {
    const headers = new Headers({ Link: '<http://x/api/v4/projects?page=3>; rel="next"', 'X-Page': '2' })
    expect(readPage([1, 2], headers)).toMatchObject({ total: null, nextPage: 3, perPage: 2 })
  })
})

describe('requests to an instance', () => {
  type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string }
  let server: Server
  let seen: Seen[] = []
  let answer: { status: number; body?: unknown; headers?: Record<string, string> } = { status: 200 }

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
        response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
        response.end(answer.body === undefined ? '' : JSON.stringify(answer.body))
      })
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const { happyDOM } = window as unknown as { happyDOM: { setURL: (url: string) => void } }
    happyDOM.setURL(`http://127.0.0.1:${port}/`)
  })
  afterAll(() => new Promise((done) => server.close(done)))
  beforeEach(() => {
    seen = []
    forgetProof()
  })

  it('return the body of the response', async () => {
    answer = { status: 200, body: { id: 3, name: 'heron' } }
    const project = await api('GET /projects/:id', { id: 3 })
    expect(project.name).toBe('heron')
    expect(seen[0]).toMatchObject({ method: 'GET', url: '/api/v4/projects/3' })
  })

  it('have a token of the page', async () => {
    keepProof({ csrf_token: 'proof', file_ticket: null })
    answer = { status: 201, body: { id: 4 } }
    await api('POST /projects', { name: 'x' })
    answer = { status: 200, body: {} }
    await api('GET /projects/:id', { id: 4 })
    expect(seen[0]?.headers['x-csrf-token']).toBe('proof')
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ name: 'x' })
    expect(seen[1]?.headers['x-csrf-token']).toBe('proof')
  })

  it('can return only the headers', async () => {
    keepProof({ csrf_token: 'proof', file_ticket: null })
    answer = { status: 200, headers: { 'x-service-size': '12' } }
    const headers = await apiHead('GET /projects/:id', { id: 3 })
    expect(headers.get('x-service-size')).toBe('12')
    expect(seen[0]).toMatchObject({ method: 'HEAD', url: '/api/v4/projects/3' })
    expect(seen[0]?.headers['x-csrf-token']).toBe('proof')
  })

  it('return a list with its counts', async () => {
    answer = {
      status: 200,
      body: [{ id: 1 }],
      headers: { 'x-page': '1', 'x-total': '1', 'x-per-page': '20' },
    }
    const page = await apiPage('GET /projects', { page: 1 })
    expect(page).toMatchObject({ total: 1, page: 1, nextPage: null })
    expect(page.items).toHaveLength(1)
  })

  it('throw the error of the server with its fields', async () => {
    answer = { status: 400, body: { message: { path: ['has already been taken'] } } }
    const refused = await api('POST /projects', { name: 'x' }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ApiError)
    expect(refused).toMatchObject({ status: 400, fields: { path: ['has already been taken'] } })
  })

  it('call back once after the session has ended', async () => {
    let calls = 0
    onSignedOut(() => (calls += 1))
    answer = { status: 401, body: { message: '401 Unauthorized' } }
    await api('GET /projects/:id', { id: 1 }).catch(() => undefined)
    expect(calls).toBe(1)
  })

  it('do not treat a wrong password as the end of the session', async () => {
    let calls = 0
    onSignedOut(() => (calls += 1))
    answer = { status: 401, body: { message: 'Invalid login or password.' } }
    await api('POST /-/session', { login: 'a', password: 'b' }).catch(() => undefined)
    expect(calls).toBe(0)
  })

  it('do not treat a wrong token for another host like the end of the session', async () => {
    let calls = 0
    onSignedOut(() => (calls += 1))
    answer = { status: 401, body: { error: 'Access denied to your account.' } }
    const refused = await api('POST /import/hostA', {} as never).catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 401, message: 'Access denied to your account.' })
    expect(calls).toBe(0)
  })

  it('accept an empty response to a DELETE', async () => {
    answer = { status: 204 }
    await expect(api('DELETE /personal_access_tokens/:id', { id: 1 })).resolves.toBeNull()
  })
})
