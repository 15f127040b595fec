import {
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

import { hasBody } from '../request/body.ts'

/** How long a client may take over its part of an exchange. All in milliseconds, but for the rate. */
export interface ConnectionLimits {
  /** An idle connection stays open this long; clients and proxies that reuse one expect at least 60 s. */
  readonly keepAliveMs: number
  /** All headers are there by then; longer than `keepAliveMs`, or a reused connection could end under a request. */
  readonly headersMs: number
  /** A body of which nothing came for this long is given up. */
  readonly silentMs: number
  /** So is an answer of which nothing was taken for this long. */
  readonly unreadMs: number
  /** An answer is judged by what was taken of it in each such time, by the same rate: drop by drop it would take for ever. */
  readonly answerWindowMs: number
  /** A body is judged by what came in each such time … */
  readonly windowMs: number
  /** … and has to bring so many bytes a second in it. A push over a poor line has ten times as many. */
  readonly minBytesPerSecond: number
  /** JSON and forms, which are kept in memory while they come, are whole by then. */
  readonly textBodyMs: number
  /** How often bodies under way are looked at. */
  readonly checkMs: number
  /** A TLS handshake is over by then. */
  readonly handshakeMs: number
  /** How often the files of the certificate are looked at. */
  readonly certificateMs: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  keepAliveMs: 65_000,
  headersMs: 70_000,
  silentMs: 30_000,
  unreadMs: 60_000,
  answerWindowMs: 300_000,
  windowMs: 60_000,
  minBytesPerSecond: 1024,
  textBodyMs: 600_000,
  checkMs: 5000,
  handshakeMs: 10_000,
  certificateMs: 10_000,
}

/** What Node's own server watches over. */
export function serverOptions(limits: ConnectionLimits): ServerOptions {
  return {
    // A push over a slow line takes as long as it takes; bodies are watched by how fast they come.
    requestTimeout: 0,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(10_000, limits.headersMs),
  }
}

/** A body that has not come to its end. */
interface Arriving {
  readonly response: ServerResponse
  readonly isText: boolean
  readonly since: number
  /** Bytes of the connection when the present window began, and when that was. */
  windowBytes: number
  windowSince: number
  /** Bytes of the connection when some came last, and when that was. */
  lastBytes: number
  lastSince: number
}

/** Ends exchanges whose client does not do its part: 408 for bodies that do not come, a closed connection otherwise. */
export function superviseConnections(server: Server | TlsServer, limits: ConnectionLimits): void {
  const arriving = new Map<IncomingMessage, Arriving>()
  const answering = new WeakMap<Duplex, ServerResponse>()
  const secured = new WeakSet<Duplex>()
  const sockets = new Map<Socket, Taking>()
  const watch = (socket: Socket): void => {
    sockets.set(socket, { bytes: 0, since: performance.now() })
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('connection', watch)
  server.on('secureConnection', (socket: TLSSocket) => {
    secured.add(socket)
    watch(socket)
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answering.set(request.socket, response)
    if (hasBody(request)) arriving.set(request, begin(request, response))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Where the handshake failed (plain HTTP, for example) nothing can be written that the client could read.
    if (socket instanceof TLSSocket && !secured.has(socket)) socket.destroy()
    else refuse(error, socket, answering.get(socket))
  })
  // Node's own count of a connection's silence goes on while a long write makes progress.
  server.setTimeout(limits.unreadMs, (socket) => {
    const response = answering.get(socket)
    // Before its first request the time for headers counts; after the last answer, the time that it may be idle.
    const isIdle = response?.closed ?? false
    if (isIdle || socket.writableLength > 0) socket.destroy()
    else socket.setTimeout(limits.unreadMs)
  })
  const timer = setInterval(() => {
    const now = performance.now()
    for (const [request, body] of arriving) {
      if (request.complete || request.socket.destroyed) arriving.delete(request)
      else if (isTooSlow(request, body, now, limits)) {
        arriving.delete(request)
        giveUp(request, body.response)
      }
    }
    for (const [socket, taking] of sockets)
      if (isTakenTooSlowly(socket, taking, now, limits)) socket.destroy()
  }, limits.checkMs).unref()
  server.once('close', () => clearInterval(timer))
}

function begin(request: IncomingMessage, response: ServerResponse): Arriving {
  const now = performance.now()
  const bytes = request.socket.bytesRead
  const type = request.headers['content-type'] ?? ''
  return {
    response,
    isText: /json|x-www-form-urlencoded/i.test(type),
    since: now,
    windowBytes: bytes,
    windowSince: now,
    lastBytes: bytes,
    lastSince: now,
  }
}

function isTooSlow(request: IncomingMessage, body: Arriving, now: number, limits: ConnectionLimits): boolean {
  if (body.isText && now - body.since > limits.textBodyMs) return true
  const bytes = request.socket.bytesRead
  // What came and was not read yet is our own slowness.
  const isOurs = request.readableLength > 0
  if (isOurs || bytes !== body.lastBytes) [body.lastBytes, body.lastSince] = [bytes, now]
  if (now - body.lastSince > limits.silentMs) return true
  const age = now - body.windowSince
  if (!isOurs && age < limits.windowMs) return false
  const isSlow = !isOurs && (bytes - body.windowBytes) * 1000 < age * limits.minBytesPerSecond
  body.windowBytes = bytes
  body.windowSince = now
  return isSlow
}

/** How many bytes of a connection were taken when the present window began, and when that was. */
interface Taking {
  bytes: number
  since: number
}

function isTakenTooSlowly(socket: Socket, taking: Taking, now: number, limits: ConnectionLimits): boolean {
  const { taken, isOwed } = outgoing(socket)
  const age = now - taking.since
  // What is not there yet nobody can take.
  if (isOwed && age < limits.answerWindowMs) return false
  const isSlow = isOwed && (taken - taking.bytes) * 1000 < age * limits.minBytesPerSecond
  taking.bytes = taken
  taking.since = now
  return isSlow
}

/** What the other side took, as far as this system knows, and whether more waits for it. */
function outgoing(socket: Socket): { taken: number; isOwed: boolean } {
  // Of a long write only the handle knows how much is left.
  const { _handle: handle } = socket as {
    _handle?: { bytesWritten?: number; writeQueueSize?: number } | null
  }
  const { bytesWritten = socket.bytesWritten, writeQueueSize = socket.writableLength } = handle ?? {}
  return { taken: bytesWritten - writeQueueSize, isOwed: socket.writableLength > 0 }
}

const headersOf = (text: string) => ({
  'Content-Type': 'application/json',
  'Content-Length': Buffer.byteLength(text),
  Connection: 'close',
})

const bodyOf = (status: number): string => JSON.stringify({ message: `${status} ${STATUS_CODES[status]}` })

/** Answers 408 where there is no answer yet, and ends the connection, on which the rest of the body may still come. */
function giveUp({ socket }: IncomingMessage, response: ServerResponse): void {
  const end = (): void => void socket.destroy()
  if (response.headersSent || response.destroyed) return end()
  const text = bodyOf(408)
  response.writeHead(408, headersOf(text)).end(text, end)
}

const PARSER_STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** What cannot be read as a request has no request to answer: the bytes of the answer are written as they are. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, response: ServerResponse | undefined): void {
  const isAnswering = response !== undefined && !response.writableFinished && response.headersSent
  if (!socket.writable || isAnswering || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const status = PARSER_STATUS[error.code ?? ''] ?? 400
  const text = bodyOf(status)
  const headers = Object.entries(headersOf(text)).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}\r\n${text}`, () =>
    socket.destroy(),
  )
}
