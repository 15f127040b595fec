import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { AwsV4Signer } from 'aws4fetch'
import { afterAll, describe, expect, it } from 'vitest'

import { startServer } from '../../../../server/index.ts'
import { world } from '../../../support/world.ts'
import { archiveOf } from './archive-of.ts'

const archive = await archiveOf()
const GZIP = { 'content-type': 'application/gzip', etag: '"v1"' }
const ranges: (string | undefined)[] = []
let serve: (request: IncomingMessage, response: ServerResponse) => void = () => undefined
const server = createServer((request, response) => {
  if (request.method === 'GET') ranges.push(request.headers.range)
  serve(request, response)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => server.closeAllConnections())
afterAll(() => void server.close())

const host = 's3.eu-central-1.amazonaws.com'
const { as, root, make, drain, ctx } = await world({ vendorHosts: { [host]: base } })
const ada = make.user({ username: 'ada' })
await as(root).put('/application/settings', {
  allow_local_requests_from_web_hooks_and_services: true,
  project_import_limit: 0,
})

/** Sends the archive, or the rest of it from the requested start. */
function whole(request: IncomingMessage, response: ServerResponse): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
  const part = archive.subarray(from)
  const range = { 'content-range': `bytes ${from}-${archive.length - 1}/${archive.length}` }
  response.writeHead(from > 0 ? 206 : 200, {
    ...GZIP,
    ...(from > 0 ? range : {}),
    'content-length': part.length,
  })
  response.end(request.method === 'HEAD' ? undefined : part)
}

/** Closes the connection after some bytes, this number of times. */
function breaking(times: number, then = whole) {
  let left = times
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method === 'HEAD' || left-- <= 0) return then(request, response)
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const range = { 'content-range': `bytes ${from}-${archive.length - 1}/${archive.length}` }
    response.writeHead(from > 0 ? 206 : 200, {
      ...GZIP,
      ...(from > 0 ? range : {}),
      'content-length': archive.length - from,
    })
    response.write(archive.subarray(from, from + 20), () => response.destroy())
  }
}

const importing = (path: string) =>
  as(ada).post('/projects/remote-import', { url: `${base}/a/b.tar.gz`, path })
const statusOf = async (id: number) => (await as(ada).get(`/projects/${id}/import`)).body

describe('POST /projects/remote-import', () => {
  it('fetches the archive and fills the project', async () => {
    serve = whole
    const { status, body } = await importing('near')
    expect([status, body]).toEqual([
      201,
      {
        id: body.id,
        description: null,
        name: 'near',
        name_with_namespace: 'ADA / near',
        path: 'near',
        path_with_namespace: 'ada/near',
        created_at: expect.any(String),
        import_status: 'scheduled',
        import_type: 'gitlab_project',
        correlation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        failed_relations: [],
        import_error: null,
        stats: null,
      },
    ])
    await drain()
    expect(await statusOf(body.id)).toMatchObject({ import_status: 'finished', import_error: null })
    const { body: mine } = await as(ada).get('/-/imports')
    expect(mine[0]).toMatchObject({ import_source: `${base.slice(7)}/a/b.tar.gz`, status: 'finished' })
    expect((await as(make.user()).get('/-/imports')).body).toEqual([])
  })

  it('accepts settings that override the archive, also with flat names as one client sends them', async () => {
    serve = whole
    const ask = (path: string, more: object) =>
      as(ada).post('/projects/remote-import', { url: `${base}/x`, path, ...more })
    const nested = await ask('nested', { override_params: { visibility: 'internal' } })
    const flat = await ask('flat', { 'override_params[visibility]': 'internal' })
    await drain()
    for (const { body } of [nested, flat])
      expect((await as(ada).get(`/projects/${body.id}`)).body.visibility).toBe('internal')
    for (const more of [{ override_params: { visibility: 'x' } }, { 'override_params[visibility]': 'x' }])
      expect((await ask('none', more)).body).toEqual({
        error: 'override_params[visibility] does not have a valid value',
      })
  })

  it('continues after a broken connection', async () => {
    ranges.length = 0
    serve = breaking(2)
    const { body } = await importing('broken')
    await drain()
    expect(ranges).toEqual([undefined, 'bytes=20-', 'bytes=40-'])
    expect(await statusOf(body.id)).toMatchObject({ import_status: 'finished' })
  })

  it('starts again if the source does not support ranges', async () => {
    ranges.length = 0
    serve = breaking(1, (request, response) => {
      delete request.headers.range
      whole(request, response)
    })
    const { body } = await importing('anew')
    await drain()
    expect(ranges).toEqual([undefined, 'bytes=20-'])
    expect(await statusOf(body.id)).toMatchObject({ import_status: 'finished' })
  })

  it('can be canceled during the download, and leaves no file', async () => {
    const reached = Promise.withResolvers<void>()
    serve = (request, response) => {
      if (request.method === 'HEAD') return whole(request, response)
      response.writeHead(200, GZIP).write(archive.subarray(0, 20), () => reached.resolve())
    }
    const { body } = await importing('canceled')
    await reached.promise
    const cancel = () => as(ada).post(`/-/projects/${body.id}/import/cancel`)
    const done = await cancel()
    expect([done.status, done.body.status, done.body.can_cancel]).toEqual([201, 'canceled', false])
    await drain()
    expect(await statusOf(body.id)).toMatchObject({ import_status: 'canceled', import_error: null })
    expect(readdirSync(join(ctx().config.dataDir, 'imports'))).toEqual([])
    expect((await cancel()).body).toEqual({
      message: 'The import cannot be canceled because it is canceled',
    })
  })

  it('can be retried if only the address is required', async () => {
    serve = (request, response) =>
      request.method === 'HEAD' ? whole(request, response) : void response.writeHead(410).end()
    const { body } = await importing('again')
    await drain()
    const { body: failed } = await as(ada).get(`/-/projects/${body.id}/import_progress`)
    expect(failed).toMatchObject({
      status: 'failed',
      can_retry: true,
      import_error: 'The source answered 410 instead of the archive.',
    })
    serve = whole
    // A retry would delete the issue, so it is refused.
    const { body: issue } = await as(ada).post(`/projects/${body.id}/issues`, { title: 'Meanwhile' })
    expect((await as(ada).post(`/-/projects/${body.id}/import/retry`)).status).toBe(400)
    expect((await as(ada).delete(`/projects/${body.id}/issues/${issue.iid}`)).status).toBe(204)
    expect((await as(ada).post(`/-/projects/${body.id}/import/retry`)).body.status).toBe('scheduled')
    await drain()
    expect(await statusOf(body.id)).toMatchObject({ import_status: 'finished', import_error: null })
    expect((await as(ada).post(`/-/projects/${body.id}/import/retry`)).body).toEqual({
      message: 'The import cannot be started again',
    })
  })
})

describe('POST /projects/remote-import-s3', () => {
  const object = {
    region: 'eu-central-1',
    bucket_name: 'my.bucket',
    file_key: 'folder/my export.tar.gz',
    access_key_id: 'AKIAEXAMPLE',
    secret_access_key: 'wJalrXUtnFEMI',
  }
  /** Checks requests like the storage: signs them itself, and compares the signatures. */
  const checking = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization = '', 'x-amz-date': datetime, ...headers } = request.headers
    const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
    const signedHeaders = Object.entries(headers).filter(([name]) => signed.includes(name) && name !== 'host')
    const again = await new AwsV4Signer({
      method: request.method!,
      url: base + request.url!,
      headers: Object.fromEntries(signedHeaders) as Record<string, string>,
      accessKeyId: object.access_key_id,
      secretAccessKey: object.secret_access_key,
      service: 's3',
      region: object.region,
      datetime: String(datetime),
    }).sign()
    if (again.headers.get('authorization') !== authorization) return void response.writeHead(403).end()
    if (request.url !== '/my.bucket/folder/my%20export.tar.gz') return void response.writeHead(404).end()
    whole(request, response)
  }

  it('signs its requests, also after a broken connection', async () => {
    ranges.length = 0
    serve = breaking(1, (request, response) => void checking(request, response))
    const { status, body } = await as(ada).post('/projects/remote-import-s3', { ...object, path: 'bucket' })
    expect([status, body.import_status, body.import_error]).toEqual([201, 'scheduled', null])
    const sealed = ctx().db.one<{ credentials: string; source: string }>(
      'SELECT credentials, source FROM import_runs WHERE project_id = ?',
      body.id,
    )!
    expect(JSON.stringify(sealed)).not.toContain(object.secret_access_key)
    await drain()
    expect(ranges).toEqual([undefined, 'bytes=20-'])
    expect(await statusOf(body.id)).toMatchObject({ import_status: 'finished', import_error: null })
  })

  it('is allowed in a group for developers, who may create projects there, not for reporters', async () => {
    serve = (request, response) => void checking(request, response)
    const group = await make.group()
    const into = async (level: number | null) => {
      const user = level === null ? null : make.user()
      if (user && level) await make.member('groups', group.id, user, level)
      const params = { ...object, path: `s3-${level}`, namespace: group.full_path }
      const { status, body } = await as(user).post('/projects/remote-import-s3', params)
      return [status, body.message]
    }
    expect(await into(null)).toEqual([401, '401 Unauthorized'])
    expect(await into(0)).toEqual([404, '404 Namespace Not Found'])
    expect(await into(20)).toEqual([400, 'You are not allowed to import projects in this namespace.'])
    expect(await into(30)).toEqual([201, undefined])
    await drain()
  })

  it('refuses invalid keys and invalid names', async () => {
    serve = (request, response) => void checking(request, response)
    const wrong = { ...object, secret_access_key: 'wrong', path: 'wrong' }
    expect((await as(ada).post('/projects/remote-import-s3', wrong)).body).toEqual({
      message: 'Failed to retrive headers: the server answered 403',
    })
    const tries: [object, string][] = [
      [{ region: 'x.evil.test/' }, 'region is invalid'],
      [{ bucket_name: '../x' }, 'bucket_name is invalid'],
      [{ file_key: '' }, 'file_key is empty'],
      [{ file_key: '../elsewhere/x.tar.gz' }, 'file_key is invalid'],
    ]
    for (const [more, error] of tries) {
      const { status, body } = await as(ada).post('/projects/remote-import-s3', {
        ...object,
        path: 'x',
        ...more,
      })
      expect([status, body]).toEqual([400, { error }])
    }
  })
})

describe('a download that was interrupted by a restart', () => {
  it('continues with the stored part', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'deskforge-test-'))
    const options = { dataDir, port: 0, logLevel: 'silent' as const, temporary: true, rootToken: root.token }
    const ask = async (url: string, method: string, path: string, body?: object) => {
      const headers = { 'private-token': root.token, 'content-type': 'application/json' }
      const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
      return (await fetch(`${url}/api/v4${path}`, init)).json() as Promise<{
        id: number
        import_status: string
      }>
    }
    const first = await startServer(options)
    await ask(first.url, 'PUT', '/application/settings', {
      allow_local_requests_from_web_hooks_and_services: true,
    })
    const reached = Promise.withResolvers<void>()
    serve = (request, response) => {
      if (request.method === 'HEAD') return whole(request, response)
      response.writeHead(200, GZIP).write(archive.subarray(0, 30), () => reached.resolve())
    }
    const { id } = await ask(first.url, 'POST', '/projects/remote-import', { url: `${base}/x`, path: 'x' })
    await reached.promise
    const part = join(dataDir, 'imports', `${id}.part`)
    await expect.poll(() => statSync(part).size).toBe(30)
    await first.close()
    ranges.length = 0
    serve = whole
    const second = await startServer(options)
    const status = async () => (await ask(second.url, 'GET', `/projects/${id}/import`)).import_status
    await expect.poll(status).toBe('finished')
    expect(ranges).toEqual(['bytes=30-'])
    await second.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
})
