import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { afterAll } from 'vitest'
import { GitInputError } from '../../server/git/errors.ts'
import { receivePack } from '../../server/git/transport/receive-pack.ts'
import type { PushUpdate, ReceiveOptions } from '../../server/git/transport/receive-pack.ts'
import { advertiseRefs, isGitService, uploadPack } from '../../server/git/transport/smart-http.ts'
import type { Repo } from '../../server/git/types.ts'

export interface Served {
  readonly url: string
  /** The completed pushes, with their updates or the error. */
  readonly pushes: Array<readonly PushUpdate[] | Error>
  readonly requests: Array<{
    path: string
    encoding: string | undefined
    protocol: string | undefined
    status: number
  }>
  handlers: Partial<ReceiveOptions>
}

const servers: Array<() => void> = []
afterAll(() => {
  for (const close of servers.splice(0)) close()
})

/** A plain HTTP server for one repository, without permissions. */
export async function serve(repo: Repo, handlers: Partial<ReceiveOptions> = {}): Promise<Served> {
  const served: Served = { url: '', pushes: [], requests: [], handlers }
  const server = createServer((request, response) => {
    void handle(repo, served, request, response).catch((error: unknown) => {
      response.statusCode = error instanceof GitInputError ? 400 : 500
      response.end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return Object.assign(served, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/repo.git` })
}

async function handle(
  repo: Repo,
  served: Served,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url!, 'http://x')
  const disconnection = new AbortController()
  const protocol = request.headers['git-protocol'] as string | undefined
  const encoding = request.headers['content-encoding']
  response.on('close', () => {
    served.requests.push({ path: url.pathname, encoding, protocol, status: response.statusCode })
    if (!response.writableFinished) disconnection.abort(new Error('The client left.'))
  })
  const body = encoding === 'gzip' ? request.pipe(createGunzip()) : request
  const options = { body, protocol, signal: disconnection.signal }
  const service = url.pathname.split('/').pop()
  if (url.pathname.endsWith('/info/refs')) {
    const service = url.searchParams.get('service')
    if (!isGitService(service)) return void response.writeHead(403).end()
    const stream = await advertiseRefs(repo, service, options)
    response.setHeader('Content-Type', `application/x-${service}-advertisement`)
    return pipeline(stream, response).catch(() => {})
  }
  if (request.method !== 'POST' || !isGitService(service)) return void response.writeHead(404).end()
  response.setHeader('Content-Type', `application/x-${service}-result`)
  if (service === 'git-upload-pack') {
    return pipeline(await uploadPack(repo, options), response).catch(() => {})
  }
  const push = await receivePack(repo, {
    preReceive: async () => ({ ok: true }),
    postReceive: async () => {},
    ...options,
    ...served.handlers,
  })
  push.done.then(
    (updates) => served.pushes.push(updates),
    (error: Error) => served.pushes.push(error),
  )
  await pipeline(push.stream, response).catch(() => {})
}
