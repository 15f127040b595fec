import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { createServer } from 'node:net'

import forge from 'node-forge'
import { beforeAll, describe, expect, it } from 'vitest'

import { projectById } from '../../../server/domains/projects/index.ts'
import { record, sendRequest } from '../../../server/domains/webhooks/index.ts'
import { world } from '../../support/world.ts'
import { keeper, listen, receiver, serve, type Received } from './receiver.ts'

const here = await world({ hookTimeoutMs: 1500 })
const root = here.as(here.root)
const project = await here.make.project({ with: 'readme' })
const HOOKS = `/projects/${project.id}/hooks`

const allowLocal = (allowed: boolean) =>
  root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: allowed })

beforeAll(async () => {
  await allowLocal(true)
})

/** Returns the log entry of one event that was sent to a URL. */
async function logged(
  url: string,
  more: object = {},
  before: () => Promise<unknown> = async () => undefined,
) {
  const made = await root.post(HOOKS, { url, ...more })
  expect(made.status, made.text).toBe(201)
  await before()
  record(here.ctx(), { kind: 'push', project_id: project.id, ref: 'main', payload: { a: 1 } }, 1)
  await here.drain()
  const at = `${HOOKS}/${made.body.id}`
  const [entry] = (await root.get(`${at}/events`)).body
  await root.delete(at)
  return entry
}

/** A server that answers every request with the given bytes. */
async function raw(bytes: string): Promise<string> {
  const server = createServer((socket) => socket.once('data', () => socket.end(bytes)))
  return `http://127.0.0.1:${await listen(server)}`
}

const noAnswer = (error: string) => ({ response_status: 'internal error', error, response_body: '' })
const LATE = 'There was no complete answer within 1.5 seconds.'

describe('a receiver', () => {
  it('that never answers is cut off by the time limit', async () => {
    const { url } = await serve(() => undefined)
    expect(await logged(url)).toMatchObject(noAnswer(LATE))
  })

  it('that answers endlessly slowly is cut off by the time limit', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    })
    expect(await logged(url)).toMatchObject(noAnswer(LATE))
  })

  it('that answers endlessly is read up to 8 KiB', async () => {
    let isOpen = true
    const { url } = await serve((_request, response) => {
      response.on('close', () => (isOpen = false))
      const more = () => {
        while (isOpen && response.write('x'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    })
    const entry = await logged(url)
    expect(entry).toMatchObject({ response_status: '200', error: null })
    expect(entry.response_body).toHaveLength(8192)
    await expect.poll(() => isOpen).toBe(false)
  })

  it('that answers with many long headers has some of them logged', async () => {
    const headers = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`x-${n}`, n === 0 ? 'y'.repeat(3000) : 'z']),
    )
    const there = await receiver({ headers })
    const entry = await logged(there.url)
    expect(Object.keys(entry.response_headers)).toHaveLength(50)
    expect(entry.response_headers['X-0']).toHaveLength(1024)
  })

  it('that does not speak HTTP has a sentence in the log', async () => {
    expect(await logged(await raw('220 mail.example.test ESMTP\r\n'))).toMatchObject(
      noAnswer('The answer is not HTTP.'),
    )
    expect(await logged(await raw(''))).toMatchObject(
      noAnswer('The connection was closed before the answer was complete.'),
    )
    expect(await logged(await raw('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'))).toMatchObject(
      noAnswer('The connection was closed before the answer was complete.'),
    )
    expect(await logged(await raw(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`))).toMatchObject(
      noAnswer('The headers of the answer are too long.'),
    )
    const plain = (await receiver()).url.replace('http:', 'https:')
    expect((await logged(plain)).error).toMatch(/^A secure connection could not be established/)
  })

  it('that cannot be reached has a sentence in the log', async () => {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    await once(server, 'close')
    expect(await logged(`http://127.0.0.1:${port}`)).toMatchObject(noAnswer('The connection was refused.'))
    expect(await logged('http://nowhere.invalid')).toMatchObject(
      noAnswer('The name of the host could not be resolved.'),
    )
  })

  it('with an untrusted certificate gets events if verification is off', async () => {
    const requests: Received[] = []
    const port = await listen(createTlsServer(selfSigned(), keeper(requests, { answer: {} })))
    const url = `https://localhost:${port}/`
    expect(await logged(url)).toMatchObject(
      noAnswer('The certificate could not be verified: it is self-signed.'),
    )
    expect(requests).toEqual([])
    expect(await logged(url, { enable_ssl_verification: false })).toMatchObject({ response_status: '200' })
    expect(requests).toHaveLength(1)
  })

  it('that redirects counts as answered', async () => {
    const secret = await receiver()
    const there = await receiver({ status: 307, headers: { location: secret.url } })
    expect(await logged(there.url)).toMatchObject({ response_status: '307', error: null })
    expect(secret.requests).toEqual([])
  })

  it('in the local network gets nothing unless a setting allows it, under any name', async () => {
    const there = await receiver()
    const forbid = () => allowLocal(false)
    const addresses = { [there.url]: '127.0.0.1', [`http://localhost:${there.port}`]: 'localhost' }
    for (const [url, host] of Object.entries(addresses)) {
      await allowLocal(true)
      const error = `Requests to the local network are not allowed (${host}).`
      expect(await logged(url, {}, forbid)).toMatchObject(noAnswer(error))
      expect((await root.post(HOOKS, { url })).body).toEqual({ error: 'Invalid url given' })
    }
    expect(there.requests).toEqual([])
    // System hooks have their own setting.
    const { id } = (await root.post('/hooks', { url: there.url })).body
    await root.post(`/hooks/${id}`)
    expect(there.requests).toHaveLength(1)
    await root.put('/application/settings', { allow_local_requests_from_system_hooks: false })
    await root.post(`/hooks/${id}`)
    expect(there.requests).toHaveLength(1)
    await root.delete(`/hooks/${id}`)
    await allowLocal(true)
  })
})

describe('a test of a webhook', () => {
  it('sends an event about the newest row of a kind', async () => {
    const there = await receiver()
    const { id } = (await root.post(HOOKS, { url: there.url, push_events: false })).body
    const at = `${HOOKS}/${id}`
    expect(await root.post(`${at}/test/push_events`)).toMatchObject({
      status: 201,
      body: { message: '201 Created' },
    })
    expect(JSON.parse(there.requests[0]!.body)).toMatchObject({ object_kind: 'push', project_id: project.id })
    expect((await root.get(`${at}/events`)).body[0]).toMatchObject({ is_test: true, trigger: 'push_hooks' })
    expect(await root.post(`${at}/test/nothing_events`)).toMatchObject({
      status: 400,
      body: { error: 'trigger does not have a valid value' },
    })
    const none = await root.post(`${at}/test/releases_events`)
    expect(none).toMatchObject({ status: 422, body: { message: expect.stringMatching(/\.$/) } })
    there.answer = { status: 404 }
    expect(await root.post(`${at}/test/push_events`)).toMatchObject({
      status: 422,
      body: { message: 'The receiver answered with status 404.' },
    })
    // Four of five tests are used. Requests with an invalid event do not count.
    await root.post(`${at}/test/push_events`)
    await root.post(`${at}/test/push_events`)
    expect(await root.post(`${at}/test/push_events`)).toMatchObject({
      status: 429,
      body: { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    })
  })
})

describe('a delivery of an integration', () => {
  it('is logged without its secrets', async () => {
    const there = await receiver({ status: 201, body: 'ok, key-123' })
    const ctx = here.ctx()
    const { id } = ctx.db.one<{ id: number }>(
      `INSERT INTO integrations (project_id, slug, active, created_at, updated_at) VALUES (?, 'test', 1, ?, ?) RETURNING id`,
      projectById(ctx.db, project.id)!.id,
      ctx.now,
      ctx.now,
    )!
    const sent = await sendRequest(ctx, {
      target: { integration_id: id },
      project_id: project.id,
      trigger: 'push_hooks',
      method: 'PUT',
      url: `${there.url}/send?key=key-123`,
      headers: { 'Content-Type': 'text/xml', 'X-Api-Key': 'short' },
      body: '<key>key-123</key>',
      secrets: ['key-123'],
    })
    expect(sent).toEqual({ delivery_id: expect.any(Number), is_ok: true, status: 201, error: null })
    expect(there.requests[0]).toMatchObject({
      method: 'PUT',
      path: '/send?key=key-123',
      body: '<key>key-123</key>',
      headers: { 'content-type': 'text/xml', 'x-api-key': 'short' },
    })
    const row = ctx.db.one<Record<string, string>>('SELECT * FROM deliveries WHERE id = ?', sent.delivery_id)!
    expect(row).toMatchObject({ integration_id: id, method: 'PUT', state: 'done', trigger: 'push_hooks' })
    expect(JSON.stringify(row)).not.toMatch(/key-123|short/)
  })
})

function selfSigned(): { key: string; cert: string } {
  const keys = forge.pki.rsa.generateKeyPair(2048)
  const cert = forge.pki.createCertificate()
  cert.publicKey = keys.publicKey
  cert.serialNumber = '01'
  cert.validity.notBefore = new Date(Date.now() - 86_400_000)
  cert.validity.notAfter = new Date(Date.now() + 86_400_000)
  const name = [{ name: 'commonName', value: 'localhost' }]
  cert.setSubject(name)
  cert.setIssuer(name)
  cert.setExtensions([{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }])
  cert.sign(keys.privateKey, forge.md.sha256.create())
  return { key: forge.pki.privateKeyToPem(keys.privateKey), cert: forge.pki.certificateToPem(cert) }
}
