import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Server as NetServer, Socket } from 'node:net'

import { afterAll } from 'vitest'

/** A request as the receiver got it. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The response of a receiver. */
export type Answer = { status?: number; headers?: Record<string, string>; body?: string }

/** A real webhook receiver on this machine. */
export interface Receiver {
  readonly url: string
  readonly port: number
  readonly requests: Received[]
  /** Sets the response to the next requests. */
  answer: Answer
}

/** Listens on a free port until the test file ends. Open connections are closed then. */
export async function listen(server: NetServer): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  })
  return (server.address() as AddressInfo).port
}

/** A receiver that stores its requests. */
export async function receiver(first: Answer = {}): Promise<Receiver> {
  const requests: Received[] = []
  const state = { answer: first }
  const port = await listen(createServer(keeper(requests, state)))
  return Object.assign(state, { url: `http://127.0.0.1:${port}`, port, requests })
}

/** Stores a request and sends the configured response. */
export function keeper(requests: Received[], state: { answer: Answer }): RequestListener {
  return (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      requests.push({ method, path, headers, body: Buffer.concat(parts).toString() })
      const { status = 200, headers: answered = {}, body = 'thanks' } = state.answer
      response.writeHead(status, answered).end(body)
    })
  }
}

/** A server that answers by the given function. */
export async function serve(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener)
  return { url: `http://127.0.0.1:${await listen(server)}`, server }
}
