import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import { atEnd } from '../../../support/at-end.ts'
import { GIT_BINARY, shell, tempDir } from '../../../support/git.ts'

/** An error response that is sent once instead of the regular one. */
export interface Fault {
  /** Path and query below the API. */
  readonly at: RegExp
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Response bodies by path below the API. Lists are returned in pages. */
export type Responses = Record<string, unknown>

/** A stub of GitHub with its documented API, and its repositories served by git. */
export interface StubHost {
  readonly url: string
  /** The folder of its repositories, `<owner>/<name>.git`. */
  readonly folder: string
  readonly responses: Responses
  /** Files by their path on the host, with their content type. */
  readonly files: Map<string, { readonly content: string; readonly type?: string }>
  readonly faults: Fault[]
  /** The received API requests. */
  readonly requests: { readonly path: string; readonly authorization: string; readonly etag: string }[]
  /** Called with every request of the API. */
  watch: ((path: string) => void | Promise<void>) | undefined
  /** The only valid token. */
  token: string
}

/** The number of records on a page, whatever `per_page` says, because the lists of tests are short. */
const PAGE = 2
const EXEC_PATH = shell(tempDir(), ['--exec-path'])

/** Starts a host. It stops after the test file. */
export async function stubHost(): Promise<StubHost> {
  const server = createServer((request, response) => void answer(host, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host: StubHost = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    folder: tempDir(),
    responses: {},
    files: new Map(),
    faults: [],
    requests: [],
    watch: undefined,
    token: 'token-of-the-other-host',
  }
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return host
}

async function answer(host: StubHost, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url!, host.url)
  if (pathname.startsWith('/api/v3/')) return answerApi(host, request, response)
  const file = host.files.get(pathname)
  if (file) {
    response.setHeader('content-type', file.type ?? 'application/octet-stream')
    return void response.end(file.content)
  }
  if (/\.git\/(info\/refs|git-upload-pack)$/.test(pathname)) return serveGit(host, request, response)
  if (pathname.endsWith('/info/lfs/objects/batch')) return answerBatch(host, request, response)
  response.writeHead(404).end()
}

async function answerApi(host: StubHost, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, host.url)
  const path = url.pathname.slice('/api/v3'.length)
  const whole = path + url.search
  const authorization = request.headers.authorization ?? ''
  host.requests.push({ path: whole, authorization, etag: request.headers['if-none-match'] ?? '' })
  await host.watch?.(whole)
  const send = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  if (authorization !== `Bearer ${host.token}`) return void send(401, '{"message":"Bad credentials"}')
  const fault = host.faults.findIndex((fault) => fault.at.test(whole))
  if (fault >= 0) {
    const [answer] = host.faults.splice(fault, 1)
    return void send(answer!.status, answer!.body ?? '{"message":"Server Error"}', answer!.headers)
  }
  const content = host.responses[path]
  if (content === undefined) return void send(404, '{"message":"Not Found"}')
  if (!Array.isArray(content) && request.headers['if-none-match'] === `"${path}"`)
    return void response.writeHead(304).end()
  if (!Array.isArray(content)) return void send(200, JSON.stringify(content), { etag: `"${path}"` })
  const page = Number(url.searchParams.get('page') ?? 1)
  const last = Math.max(1, Math.ceil(content.length / PAGE))
  const link = (number: number, rel: string): string => {
    const to = new URL(url)
    to.searchParams.set('page', String(number))
    return `<${to.toString()}>; rel="${rel}"`
  }
  const links = page < last ? [link(page + 1, 'next'), link(last, 'last')] : []
  send(200, JSON.stringify(content.slice((page - 1) * PAGE, page * PAGE)), {
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': '4000',
    'x-ratelimit-reset': '1',
    ...(links.length > 0 ? { link: links.join(', ') } : {}),
  })
}

/** Answers a request by git's own CGI program, for clients that sign in as `username` with the token. */
export function serveGit(
  host: Pick<StubHost, 'url' | 'folder' | 'token'>,
  request: IncomingMessage,
  response: ServerResponse,
  username = 'x-access-token',
): void {
  const { pathname, search } = new URL(request.url!, host.url)
  const expected = `Basic ${Buffer.from(`${username}:${host.token}`).toString('base64')}`
  if (request.headers.authorization !== expected)
    return void response.writeHead(401, { 'www-authenticate': 'Basic' }).end()
  const child = spawn(join(EXEC_PATH, 'git-http-backend'), [], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: host.folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
      REMOTE_USER: 'somebody',
      GIT_EXEC_PATH: EXEC_PATH,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      HOME: host.folder,
    } as NodeJS.ProcessEnv,
  })
  request.pipe(child.stdin)
  child.stdin.on('error', () => undefined)
  let head = Buffer.alloc(0)
  let isBody = false
  child.stdout.on('data', (chunk: Buffer) => {
    if (isBody) return void response.write(chunk)
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    isBody = true
    let status = 200
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const [name, value] = line.split(/: (.*)/s) as [string, string]
      if (name === 'Status') status = Number.parseInt(value, 10)
      else response.setHeader(name, value)
    }
    response.writeHead(status)
    response.write(head.subarray(end + 4))
  })
  child.stdout.on('end', () => response.end())
}

async function answerBatch(
  host: StubHost,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let text = ''
  for await (const part of request) text += String(part)
  const { objects } = JSON.parse(text) as { objects: { oid: string; size: number }[] }
  const offered = objects.map((object) => ({
    ...object,
    actions: { download: { href: `${host.url}/large/${object.oid}`, header: { 'x-large': 'yes' } } },
  }))
  response
    .writeHead(200, { 'content-type': 'application/vnd.git-lfs+json' })
    .end(JSON.stringify({ transfer: 'basic', objects: offered }))
}

/** Creates an empty bare repository of the host. Returns its path. */
export function bareRepository(host: Pick<StubHost, 'folder'>, name: string): string {
  const path = join(host.folder, name)
  shell(host.folder, ['init', '--quiet', '--bare', '--initial-branch=main', path])
  return path
}

export { GIT_BINARY }
