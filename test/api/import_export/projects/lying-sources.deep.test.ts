import { existsSync, readdirSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'

/** The responses of a source; `size` is the length that it declares for a HEAD. */
interface Source {
  readonly size?: number
  readonly head?: (response: ServerResponse) => void
  readonly get: (response: ServerResponse, request: IncomingMessage, count: number) => void
}

const GZIP = { 'content-type': 'application/gzip' }
const SECRET = 'wJalrXUtnFEMI'
const sources: Record<string, Source> = {}
const requests: IncomingMessage[] = []
let server: Server
let base: string
const w = await world({
  hookTimeoutMs: 700,
  vendorHosts: { 's3.eu-central-1.amazonaws.com': 'http://127.0.0.1:1' },
})
const { as, root, make, ctx, drain, dataDir } = w
const ada = make.user({ username: 'ada' })
let count = 0

beforeAll(async () => {
  await as(root).put('/application/settings', {
    allow_local_requests_from_web_hooks_and_services: true,
    project_import_limit: 0,
  })
  server = createServer((request, response) => {
    requests.push(request)
    const name = request.url!.split('?')[0]!.slice(1)
    const source = sources[name]
    if (!source) return void response.writeHead(404).end()
    if (request.method === 'HEAD') {
      if (source.head) return source.head(response)
      return void response.writeHead(200, { ...GZIP, 'content-length': source.size ?? 100 }).end()
    }
    const before = requests.filter((item) => item.method === 'GET' && item.url === request.url).length
    source.get(response, request, before)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.closeAllConnections())
afterAll(() => void server.close())

const importing = (name: string, more: object = {}) =>
  as(ada).post('/projects/remote-import', { url: `${base}/${name}`, path: `far-${++count}`, ...more })

/** Expects no archive, no partial download, no refs and no rows. */
function expectNothingLeft(projectId: number): void {
  const folder = join(dataDir, 'imports')
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
  expect(readdirSync(join(dataDir, 'tmp'))).toEqual([])
  const { db } = ctx()
  expect(db.one('SELECT credentials, file FROM import_runs WHERE project_id = ?', projectId)).toEqual({
    credentials: null,
    file: null,
  })
  for (const table of ['labels', 'issues', 'merge_requests', 'milestones', 'notes'])
    expect([table, db.many(`SELECT 1 FROM ${table} WHERE project_id = ?`, projectId)]).toEqual([table, []])
}

describe('an unusable source is refused at once', () => {
  const cases: [string, Record<string, string | number>, string][] = [
    ['no length', GZIP, 'Content length is too small (should be at least 1 Byte)'],
    ['nothing', { ...GZIP, 'content-length': 0 }, 'Content length is too small (should be at least 1 Byte)'],
    [
      'too much',
      { ...GZIP, 'content-length': 10 * 1024 ** 3 + 1 },
      'Content length is too big (should be at most 10 GB)',
    ],
    [
      'another type',
      { 'content-type': 'text/html', 'content-length': 5 },
      "Content type 'text/html' not allowed. (Allowed: application/gzip, application/x-tar, application/x-gzip)",
    ],
    [
      'a bucket',
      { ...GZIP, 'content-length': 5, server: 'AmazonS3', 'x-amz-request-id': '1' },
      'To import from AWS S3 use `projects/remote-import-s3`',
    ],
  ]
  it.each(cases)('if it declares %s', async (name, headers, message) => {
    const key = name.replaceAll(' ', '-')
    sources[key] = { head: (response) => void response.writeHead(200, headers).end(), get: () => undefined }
    const { status, body } = await importing(key)
    expect([status, body]).toEqual([400, { message }])
  })

  it('if it returns 404, does not answer or is unreachable', async () => {
    expect((await importing('nothing-there')).body).toEqual({
      message: 'Failed to retrive headers: the server answered 404',
    })
    sources['hangs'] = { head: () => undefined, get: () => undefined }
    expect((await importing('hangs')).body).toEqual({
      message: 'Failed to retrive headers: the server did not answer in time',
    })
    const { body } = await as(ada).post('/projects/remote-import', { url: 'http://127.0.0.1:1/a', path: 'a' })
    expect(body).toEqual({ message: 'Failed to retrive headers: the server could not be reached' })
  })

  it('if its address or a redirect is forbidden', async () => {
    sources['away'] = {
      head: (response) => void response.writeHead(302, { location: 'http://169.254.169.254/x' }).end(),
      get: () => undefined,
    }
    const message = 'File url is blocked: Requests to the local network are not allowed'
    expect((await importing('away')).body).toEqual({ message })
    expect((await importing('x', { url: 'ftp://example.test/a' })).body).toEqual({
      message: 'File url is blocked: Only allowed schemes are https',
    })
    expect((await importing('x', { url: 'nowhere' })).body).toEqual({
      message: 'File url is blocked: URI is invalid',
    })
    const local = (allowed: boolean) =>
      as(root).put('/application/settings', { allow_local_requests_from_web_hooks_and_services: allowed })
    await local(false)
    expect((await importing('x')).body).toEqual({
      message: 'File url is blocked: Only allowed schemes are https',
    })
    expect((await importing('x', { url: 'https://127.0.0.1/a' })).body).toEqual({ message })
    await local(true)
  })

  it('without creating a project', () => {
    expect(ctx().db.many('SELECT 1 FROM projects')).toEqual([])
  })
})

describe('the import fails', () => {
  const lies: [string, Source, RegExp][] = [
    [
      'sends more than it said',
      { get: (response) => void response.writeHead(200, GZIP).end(Buffer.alloc(500)) },
      /^The source sent more than it had announced \(100 bytes\)\.$/,
    ],
    [
      'says more than it had said',
      {
        get: (response) =>
          void response.writeHead(200, { ...GZIP, 'content-length': 300 }).end(Buffer.alloc(300)),
      },
      /^The source sent more than it had announced \(100 bytes\)\.$/,
    ],
    [
      'always breaks off',
      { get: (response) => void response.writeHead(200, GZIP).end(Buffer.alloc(0)) },
      /^The source closed the connection repeatedly\.$/,
    ],
    [
      'stops in the middle',
      { get: (response) => void response.writeHead(200, GZIP).write(Buffer.alloc(50)) },
      /^The source stopped sending data\.$/,
    ],
    [
      'answers 500',
      { get: (response) => void response.writeHead(500).end('secret stack') },
      /^The source closed the connection repeatedly\.$/,
    ],
    [
      'answers 403',
      { get: (response) => void response.writeHead(403).end() },
      /^The source answered 403 instead/,
    ],
    [
      'leads elsewhere',
      { get: (response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end() },
      /^Requests to the local network are not allowed\.$/,
    ],
    [
      'packs it once more',
      { get: (response) => void response.writeHead(200, { ...GZIP, 'content-encoding': 'br' }).end('x') },
      /^The source sends the archive in an unsupported encoding \(br\)\.$/,
    ],
    [
      'sends another part',
      {
        get: (response, _request, n) => {
          if (n === 1) return void response.writeHead(200, GZIP).end(Buffer.alloc(40))
          response.writeHead(206, { ...GZIP, 'content-range': 'bytes 10-99/100' }).end(Buffer.alloc(90))
        },
      },
      /^The source sent a different part of the archive than requested\.$/,
    ],
    [
      'changes meanwhile',
      {
        get: (response, _request, n) => {
          if (n === 1) return void response.writeHead(200, GZIP).end(Buffer.alloc(40))
          response.writeHead(206, { ...GZIP, 'content-range': 'bytes 40-119/120' }).end(Buffer.alloc(80))
        },
      },
      /^The archive at the source changed during the download\.$/,
    ],
    [
      'sends what is no archive',
      { get: (response) => void response.writeHead(200, GZIP).end(Buffer.alloc(100)) },
      /not a gzip archive/,
    ],
  ]
  const made: { id: number; pattern: RegExp }[] = []
  it('after its request, because only the download shows the fault', async () => {
    for (const [name, source, pattern] of lies) {
      const key = name.replaceAll(' ', '-')
      sources[key] = source
      const { status, body } = await importing(`${key}?signature=${SECRET}`)
      expect([name, status, body.import_status, body.import_type, body.import_error]).toEqual([
        name,
        201,
        'scheduled',
        'gitlab_project',
        null,
      ])
      made.push({ id: body.id, pattern })
    }
    await drain()
  })

  it.each(lies.map(([name], at) => [name, at] as const))('if the source %s', async (_name, at) => {
    const { id, pattern } = made[at]!
    const { body } = await as(ada).get(`/projects/${id}/import`)
    expect(body.import_status).toBe('failed')
    expect(body.import_error).toMatch(pattern)
    expect(JSON.stringify(body)).not.toContain(SECRET)
    expect(JSON.stringify(body)).not.toContain(dataDir)
    expectNothingLeft(id)
    const { body: shown } = await as(ada).get(`/-/projects/${id}/import_progress`)
    // The signed address was deleted.
    expect([shown.can_cancel, shown.can_retry]).toEqual([false, false])
    expect(JSON.stringify(shown)).not.toContain(SECRET)
  })
})
