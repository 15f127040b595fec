import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import Koa from 'koa'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { readBody, type ParsedBody } from '../../../server/http/request/body.ts'
import { errorAnswer } from '../../../server/http/answer/errors.ts'
import { discardFiles } from '../../../server/http/request/multipart.ts'
import { isReceived } from '../../../server/http/request/upload.ts'

const LIMITS = { maxBytes: 10_000, maxFileBytes: 50_000 }
let dir: string
let tmpDir: string
let url: string
let port: number
let stop: () => void
/** The parsed body of the last request. */
let last: ParsedBody | undefined
let answered: Promise<unknown>

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'deskforge-body-'))
  const app = new Koa()
  let ids = 0
  app.silent = true
  app.use(async (ctx) => {
    let done = (): void => undefined
    answered = new Promise<void>((resolve) => (done = resolve))
    try {
      last = await readBody(ctx, { ...LIMITS, tmpDir, newId: () => String(++ids) })
      ctx.body = JSON.stringify(last.params)
      if (ctx.path === '/discard') await discardFiles(last.files)
    } catch (error) {
      const answer = errorAnswer(error)
      ctx.status = answer.status
      ctx.body = JSON.stringify(answer.body)
    }
    done()
  })
  const server = createServer(app.callback())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  port = (server.address() as AddressInfo).port
  url = `http://127.0.0.1:${port}/`
  stop = () => {
    server.closeAllConnections()
    server.close()
  }
})
afterAll(() => {
  stop()
  rmSync(dir, { recursive: true })
})
beforeEach(() => {
  last = undefined
  tmpDir = dir
})

async function post(body: RequestInit['body'], type?: string, more: Record<string, string> = {}) {
  const headers = { ...(type === undefined ? {} : { 'content-type': type }), ...more }
  const init = { method: 'POST', body, headers, duplex: 'half' as const }
  const response = await fetch(url, init)
  return { status: response.status, body: JSON.parse(await response.text()) as unknown }
}

function chunks(text: string, times: number): ReadableStream<Uint8Array> {
  let left = times
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new TextEncoder().encode(text))
      else controller.close()
    },
  })
}

describe('JSON bodies', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    ['  \n ', {}],
    ['{}', {}],
    ['null', {}],
    ['\ufeff{}', {}],
  ])('reads %j', async (source, expected) => {
    expect(await post(source, 'application/json; charset=utf-8')).toEqual({ status: 200, body: expected })
  })

  it.each([
    '{',
    '{"a":1',
    'nonsense',
    '[]',
    '[{"a":1}]',
    '1',
    '"a"',
    'true',
    "{'a':1}",
    '{"a":1}{"b":2}',
    '{"a":NaN}',
  ])('refuses %j in a sentence', async (source) => {
    expect(await post(source, 'application/json')).toEqual({
      status: 400,
      body: { error: 'message body does not match declared format' },
    })
  })

  it('accepts any depth within the size limit', async () => {
    const deep = `{"a":${'['.repeat(4000)}${']'.repeat(4000)}}`
    expect((await post(deep, 'application/json')).status).toBe(200)
  })

  it('accepts compressed bodies, but no decompression bombs', async () => {
    const gzip = (text: string) => gzipSync(text)
    const headers = { 'content-encoding': 'gzip' }
    expect((await post(gzip('{"a":1}'), 'application/json', headers)).body).toEqual({ a: 1 })
    expect((await post(gzip(`{"a":"${'x'.repeat(5_000_000)}"}`), 'application/json', headers)).status).toBe(
      413,
    )
    expect((await post('not gzip', 'application/json', headers)).status).toBe(400)
    expect((await post('{}', 'application/json', { 'content-encoding': 'strange' })).status).toBe(415)
  })
})

describe('form bodies', () => {
  it('are nested like query strings', async () => {
    const answer = await post('a[]=1&a[]=2&b[c]=d+e', 'application/x-www-form-urlencoded')
    expect(answer.body).toEqual({ a: ['1', '2'], b: { c: 'd e' } })
  })
  it('are refused with broken encoding', async () => {
    expect((await post('a=%zz', 'application/x-www-form-urlencoded')).status).toBe(400)
  })
})

describe('other bodies', () => {
  it.each(['text/plain', 'application/xml', 'application/octet-stream', 'nonsense'])(
    'of type %s are refused',
    async (type) => {
      expect(await post('x', type)).toEqual({
        status: 415,
        body: { error: `The provided content-type '${type}' is not supported.` },
      })
    },
  )

  it('without a type are refused, unless they are empty', async () => {
    expect((await post(new Blob(['x']))).status).toBe(415)
    expect((await post(new Blob([]))).status).toBe(200)
  })
})

describe('large bodies', () => {
  it.each(['application/json', 'application/x-www-form-urlencoded'])(
    'are refused with a length: %s',
    async (type) => {
      expect(await post('a'.repeat(10_001), type)).toEqual({
        status: 413,
        body: { message: '413 Request Entity Too Large' },
      })
    },
  )

  it('are refused without a Content-Length, and the client gets the answer', async () => {
    const answer = await post(chunks('"'.repeat(1000), 5000), 'application/json').catch(
      (error: Error) => error.name,
    )
    expect(answer === 'TypeError' || (answer as { status: number }).status === 413).toBe(true)
  })
})

const BOUNDARY = 'frontier'
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`
const part = (head: string, body: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`
const END = `--${BOUNDARY}--\r\n`

describe('multipart bodies', () => {
  it('provide texts as parameters, and files on disk', async () => {
    const form = new FormData()
    form.set('name', 'ü')
    form.append('list[]', '1')
    form.append('list[]', '2')
    form.set('file', new File(['content'], '../../etc/pass wd.txt', { type: 'text/plain' }))
    expect((await post(form)).body).toMatchObject({
      name: 'ü',
      list: ['1', '2'],
      file: { filename: 'pass wd.txt', type: 'text/plain', size: 7 },
    })
    const [file] = last!.files
    expect(isReceived(file)).toBe(true)
    expect(readFileSync(file!.path, 'utf8')).toBe('content')
    expect(file!.sha256).toBe('ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73')
    await discardFiles(last!.files)
    expect(readdirSync(dir)).toEqual([])
  })

  it.each([
    ['without a boundary', 'multipart/form-data', part('name="a"', '1') + END],
    ['without an end', TYPE, part('name="a"', '1')],
    ['cut within a file', TYPE, part('name="a"; filename="f"', 'x'.repeat(1000)).slice(0, 300)],
    ['cut within a head', TYPE, part('name="a"; filename="f"', 'x').slice(0, 30)],
    ['that are no multipart at all', TYPE, 'nonsense'],
    ['that contradict themselves', TYPE, part('name="a"', '1') + part('name="a[b]"', '1') + END],
  ])('%s are refused and leave no file', async (_, type, source) => {
    expect((await post(source, type)).status).toBe(400)
    expect(readdirSync(dir)).toEqual([])
  })

  it.each([
    ['one file', part('name="f"; filename="f"', 'x'.repeat(50_001)) + END],
    ['one text', part('name="a"', 'x'.repeat(10_001)) + END],
    ['many texts', part('name="a"', 'x'.repeat(5000)).repeat(5) + END],
    ['many files', part('name="f[]"; filename="f"', 'x'.repeat(30_000)).repeat(3) + END],
    ['very many files', part('name="f[]"; filename="f"', '').repeat(21) + END],
    ['very many texts', part('name="a"', '').repeat(4097) + END],
  ])('are refused for too much of %s, with a length or without, and leave no file', async (_, source) => {
    for (const body of [source, chunks(source, 1)]) {
      expect((await post(body, TYPE)).status).toBe(413)
      expect(readdirSync(dir)).toEqual([])
    }
  })

  it('are refused before an endless body ends', async () => {
    const endless = part('name="f"; filename="f"', 'x'.repeat(60_000)).repeat(1000)
    const answer = await post(chunks(endless, 1), TYPE).catch((error: Error) => error.name)
    expect(answer === 'TypeError' || (answer as { status: number }).status === 413).toBe(true)
    await expect.poll(() => readdirSync(dir)).toEqual([])
  })

  it('that cannot be stored get an error, and do not hang', async () => {
    tmpDir = join(dir, 'missing', 'too')
    const source = part('name="f"; filename="f"', 'x'.repeat(40_000)) + part('name="a"', '1') + END
    expect(await post(source, TYPE)).toEqual({
      status: 507,
      body: { message: 'A folder of the instance is not there at the moment; nothing was changed.' },
    })
  })

  it('leave no file if the client disconnects', async () => {
    const socket: Socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${TYPE}\r\nContent-Length: 40000\r\n\r\n`
    socket.write(head + part('name="f"; filename="f"', 'x'.repeat(20_000)))
    await expect.poll(() => readdirSync(dir)).toHaveLength(1)
    socket.destroy()
    await answered
    await expect.poll(() => readdirSync(dir)).toEqual([])
  })
})
