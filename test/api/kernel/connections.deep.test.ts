import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { CONNECTION_LIMITS } from '../../../server/http/listener/connections.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { world, type World } from '../../support/world.ts'

let w: World
beforeAll(async () => {
  const connections = { silentMs: 2000, unreadMs: 1000, windowMs: 1000, minBytesPerSecond: 100, checkMs: 50 }
  w = await world({ connections, logLevel: 'info' })
})

const head = (target: string, ...lines: string[]): string =>
  [
    `${target} HTTP/1.1`,
    `Host: 127.0.0.1:${new URL(w.url).port}`,
    `PRIVATE-TOKEN: ${w.root.token}`,
    ...lines,
    '',
    '',
  ].join('\r\n')

function open(): Socket {
  const { hostname, port } = new URL(w.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Sends the first piece at once and the others one by one. Resolves with the response after the connection was closed. */
async function drip(first: string, pieces: Iterable<string>, everyMs: number): Promise<string> {
  const socket = open()
  socket.write(first)
  const rest = pieces[Symbol.iterator]()
  const timer = setInterval(() => {
    const next = rest.next()
    if (next.done) clearInterval(timer)
    else socket.write(next.value)
  }, everyMs)
  let text = ''
  socket.on('data', (chunk) => (text += String(chunk)))
  // The instance resets the connection if data arrives after it ended, which also counts as the end.
  await new Promise<void>((resolve) => void socket.once('close', resolve))
  clearInterval(timer)
  return text
}

function* endless(piece: string): Generator<string> {
  for (;;) yield piece
}

const settings = 'PUT /api/v4/application/settings'
const json = 'Content-Type: application/json'
const multipart = 'Content-Type: multipart/form-data; boundary=x'
const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
const push = 'Content-Type: application/x-git-receive-pack-request'

describe('bodies that never arrive', () => {
  const tooLate =
    /^HTTP\/1.1 408 Request Timeout\r\n[^]*Connection: close\r\n[^]*\r\n\r\n\{"message":"408 Request Timeout"\}$/
  const notFound = /^HTTP\/1.1 404 Not Found\r\n[^]*\{"error":"404 Not Found"\}$/

  it.each([
    ['JSON', () => head(settings, json, 'Content-Length: 1000') + '{', tooLate],
    [
      'files',
      () => head('POST /api/v4/projects/1/uploads', multipart, 'Content-Length: 9000') + part,
      tooLate,
    ],
    ['bytes of no use', () => head('POST /api/v4/nothing', 'Content-Length: 1000'), notFound],
  ])('end with 408 or a closed connection: %s', async (_, first, expected) => {
    expect(await drip(first(), endless(' '), 100)).toMatch(expected)
    expect(await drip(first(), [], 100)).toMatch(expected)
  })

  it('end the push, and the next push is served', async () => {
    const project = await w.make.project({ with: 'readme' })
    const path = `/${project.path_with_namespace}.git/git-receive-pack`
    const basic = `Authorization: Basic ${Buffer.from(`root:${w.root.token}`).toString('base64')}`
    const first = head(`POST ${path}`, push, basic, 'Content-Length: 5000') + '0fff'
    const text = await drip(first, endless('0'), 100)
    // Git starts its response before it has read the whole request.
    expect(text).toMatch(/^(HTTP\/1.1 (408|200) |$)/)
    expect(text).not.toContain('unpack ok')
    const commit = { branch: 'main', commit_message: 'x', actions: [] }
    const { status } = await w.as(w.root).post(`/projects/${project.id}/repository/commits`, commit)
    expect(status).toBe(201)
  })

  it('do not include slow bodies, however long they take', async () => {
    const body = `{"sign_in_text":"slow"${' '.repeat(4000)}}`
    const pieces = body.match(/.{1,40}/g) ?? []
    const first = head(settings, json, `Content-Length: ${body.length}`, 'Connection: close')
    // Sending a hundred pieces, one every 40 ms, takes longer than both limits.
    expect(await drip(first, pieces, 40)).toMatch(/^HTTP\/1.1 200 /)
  })
})

describe('connections', () => {
  it('end when the client does not read its response', async () => {
    const socket = open()
    socket.pause()
    socket.write(head('GET /api/v4/openapi.json').repeat(20))
    // A client that does not read finds out that the connection ended by writing.
    const timer = setInterval(() => socket.write(head('GET /-/liveness')), 50)
    onTestFinished(() => clearInterval(timer))
    await new Promise<void>((resolve) => void socket.once('close', resolve))
    expect((await w.as(null).get('/-/health')).status).toBe(200)
  })

  it('that end in the middle of a download are not logged as errors', async () => {
    const project = await w.make.project()
    const form = new FormData()
    form.set('file', new Blob([Buffer.alloc(9_000_000, 'x')]), 'large.txt')
    const uploaded = await w.as(w.root).post(`/projects/${project.id}/uploads`, form)
    expect(uploaded.status).toBe(201)
    const socket = open()
    socket.write(head(`GET ${uploaded.body.full_path}`))
    const first = await new Promise<Buffer>((resolve) => void socket.once('data', resolve))
    expect(first.toString('latin1')).toMatch(/^HTTP\/1.1 200 /)
    socket.destroy()
    const lines = (): string[] => {
      w.ctx().log.flush()
      return readFileSync(join(w.dataDir, 'logs', 'deskforge.log'), 'utf8').split('\n')
    }
    await expect
      .poll(() => lines().find((line) => line.includes('"status":499')))
      .toContain(uploaded.body.full_path)
    expect(lines().filter((line) => line.includes('"level":50'))).toEqual([])
  })

  it('stay open for more than a minute between requests', async () => {
    const answer = await sendRaw(w.url, head('GET /-/liveness'), 500)
    expect(answer.headers['keep-alive']).toBe('timeout=65')
    expect(CONNECTION_LIMITS.keepAliveMs).toBeGreaterThanOrEqual(65_000)
    expect(CONNECTION_LIMITS.headersMs).toBeGreaterThan(CONNECTION_LIMITS.keepAliveMs)
  })

  it.each([
    [431, 'Request Header Fields Too Large', () => head('GET /', `X-Long: ${'x'.repeat(40_000)}`)],
    [400, 'Bad Request', () => 'nonsense\r\n\r\n'],
  ])('get a JSON error for a request that cannot be parsed: %i', async (status, reason, bytes) => {
    const answer = await sendRaw(w.url, bytes())
    expect([answer.status, answer.headers['content-type'], answer.headers['connection']]).toEqual([
      status,
      'application/json',
      'close',
    ])
    expect(JSON.parse(answer.body)).toEqual({ message: `${status} ${reason}` })
    expect(answer.closed).toBe(true)
  })
})

describe('answers', () => {
  it('end for a client that reads very slowly, and are complete for one that reads steadily', async () => {
    // A window of seconds, because a busy machine may stop both sides for a second.
    const connections = { answerWindowMs: 4000, minBytesPerSecond: 5000, checkMs: 50 }
    const strict = await world({ connections })
    const { hostname, port, host } = new URL(strict.url)
    const ask = (more = 'keep-alive') =>
      `GET /api/v4/openapi.json HTTP/1.1\r\nHost: ${host}\r\nConnection: ${more}\r\n\r\n`
    const begin = (head: string): Socket => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      onTestFinished(() => void socket.destroy())
      socket.write(head)
      return socket
    }
    const steady = begin(ask().repeat(19) + ask('close'))
    let ends = 0
    let tail = ''
    for await (const chunk of steady as AsyncIterable<Buffer>) {
      tail = (tail + chunk.toString('latin1')).slice(-100_000)
      ends += chunk.toString('latin1').split('HTTP/1.1 200').length - 1
      await setImmediate()
    }
    expect(tail.endsWith('}')).toBe(true)
    expect(ends).toBeGreaterThan(15)
    const slow = begin(ask().repeat(40))
    slow.pause()
    const timer = setInterval(() => {
      slow.read(10)
      // A client that stopped reading finds out that the connection ended by writing.
      slow.write(ask())
    }, 20)
    onTestFinished(() => clearInterval(timer))
    await new Promise<void>((resolve) => void slow.once('close', resolve))
    expect((await strict.as(null).get('/-/health')).status).toBe(200)
  })
})
