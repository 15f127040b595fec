import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { atEnd } from '../../../support/at-end.ts'
import { shell, tempDir } from '../../../support/git.ts'
import { bareRepository, serveGit, type Fault } from '../github/stub-host.ts'

/** A stub of Bitbucket Server: its documented REST API, and its repositories served by git. */
export interface StubHost {
  readonly url: string
  readonly folder: string
  /** Response bodies by path below the API. Lists are returned in pages. */
  readonly responses: Record<string, unknown>
  readonly faults: Fault[]
  readonly requests: string[]
  /** Branches that were created and deleted. */
  readonly branches: string[]
  watch: ((path: string) => void | Promise<void>) | undefined
  readonly token: string
  readonly username: string
}

const PAGE = 2
const API = '/rest/api/1.0'
const BRANCHES = '/rest/branch-utils/1.0'

/** Starts a host. It stops after the test file. */
export async function stubHost(): Promise<StubHost> {
  const server = createServer((request, response) => void answer(host, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host: StubHost = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    folder: tempDir(),
    responses: {},
    faults: [],
    requests: [],
    branches: [],
    watch: undefined,
    token: 'token-of-host-b',
    username: 'tess',
  }
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return host
}

async function answer(host: StubHost, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, host.url)
  if (/\.git\/(info\/refs|git-upload-pack)$/.test(url.pathname))
    return serveGit(host, request, response, host.username)
  const send = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
  const refuse = (status: number, message: string) => send(status, { errors: [{ message }] })
  const whole = url.pathname + url.search
  host.requests.push(`${request.method} ${whole}`)
  await host.watch?.(whole)
  const expected = `Basic ${Buffer.from(`${host.username}:${host.token}`).toString('base64')}`
  if (request.headers.authorization !== expected) return refuse(401, 'Authentication failed.')
  const fault = host.faults.findIndex((fault) => fault.at.test(whole))
  if (fault >= 0) {
    const [answer] = host.faults.splice(fault, 1)
    return send(answer!.status, answer!.body ?? '{"errors":[{"message":"Broken"}]}', answer!.headers)
  }
  if (request.method !== 'GET') return changeBranch(host, request, url.pathname, send)
  const path = url.pathname.slice(API.length)
  const content = url.pathname.startsWith(API) ? host.responses[path] : undefined
  if (content === undefined) return refuse(404, `${path} does not exist.`)
  if (!Array.isArray(content)) return send(200, content)
  const start = Number(url.searchParams.get('start') ?? 0)
  const isLastPage = start + PAGE >= content.length
  const values = content.slice(start, start + PAGE)
  const nextPageStart = isLastPage ? null : start + PAGE
  send(200, { size: values.length, limit: PAGE, isLastPage, values, start, nextPageStart })
}

async function changeBranch(
  host: StubHost,
  request: IncomingMessage,
  path: string,
  send: (status: number, body: unknown) => void,
): Promise<void> {
  let text = ''
  for await (const part of request) text += String(part)
  const { name, startPoint } = JSON.parse(text) as { name: string; startPoint?: string }
  const repository = `${host.folder}/scm/tide/watch.git`
  if (request.method === 'DELETE' && path.startsWith(BRANCHES)) {
    host.branches.push(`- ${name}`)
    shell(repository, ['update-ref', '-d', name])
    return send(204, '')
  }
  try {
    shell(repository, ['update-ref', `refs/heads/${name}`, startPoint!])
  } catch {
    return send(404, { errors: [{ message: 'No such commit.' }] })
  }
  host.branches.push(`+ ${name}`)
  send(200, { id: `refs/heads/${name}`, displayId: name, latestCommit: startPoint })
}

export { bareRepository }
