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

/** Time limits for clients, in milliseconds, and the minimal rate. */
export interface ConnectionLimits {
  /** An idle connection stays open this long; clients and proxies that reuse one expect at least 60 s. */
  readonly keepAliveMs: number
  /** Time limit of the headers; longer than `keepAliveMs`, or a reused connection could end during a request. */
  readonly headersMs: number
  /** A request is ended if no byte of its body arrives for this long. */
  readonly silentMs: number
  /** An answer is ended if the client reads no byte for this long. */
  readonly unreadMs: number
  /** The period in which the rate of an answer is measured, so that no client can read it endlessly slowly. */
  readonly answerWindowMs: number
  /** Window in which the rate of a body is measured. */
  readonly windowMs: number
  /** The minimum rate of bodies and answers. A push over a slow connection is ten times as fast. */
  readonly minBytesPerSecond: number
  /** Time limit of JSON and form bodies, which are held in memory. */
  readonly textBodyMs: number
  /** The interval at which running exchanges are checked. */
  readonly checkMs: number
  /** Time limit of a TLS handshake. */
  readonly handshakeMs: number
  /** The interval at which the files of the certificate are checked. */
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

/** The limits that Node's own server enforces. */
export function serverOptions(limits: ConnectionLimits): ServerOptions {
  return {
    // No limit: a push over a slow connection may take long. Bodies are limited by their rate instead.
    requestTimeout: 0,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(10_000, limits.headersMs),
  }
}

/** A request body that is still arriving. */
interface Arriving {
  readonly response: ServerResponse
  readonly isText: boolean
  readonly since: number
  /** Bytes of the connection at the start of the current window, and its time. */
  windowBytes: number
  windowSince: number
  /** Bytes of the connection when the last ones arrived, and the time. */
  lastBytes: number
  lastSince: number
}

/** Ends exchanges with slow clients: 408 for bodies that do not arrive, otherwise a closed connection. */
export function superviseConnections(server: Server | TlsServer, limits: ConnectionLimits): void {
  const arriving = new Map<IncomingMessage, Arriving>()
  const answering = new WeakMap<Duplex, ServerResponse>()
  const secured = new WeakSet<Duplex>()
  const sockets = new Map<Socket, ReadProgress>()
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
    // After a failed handshake (plain HTTP, for example) the client cannot read an answer.
    if (socket instanceof TLSSocket && !secured.has(socket)) socket.destroy()
    else refuse(error, socket, answering.get(socket))
  })
  // Node's timeout also counts while a long write makes progress.
  server.setTimeout(limits.unreadMs, (socket) => {
    const response = answering.get(socket)
    // Before the first request the time limit of headers applies; after the last answer, that of idle connections.
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
        endConnection(request, body.response)
      }
    }
    for (const [socket, taking] of sockets) if (readsTooSlowly(socket, taking, now, limits)) socket.destroy()
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
  // Bytes that arrived and were not read yet are the server's delay.
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

/** Bytes of a connection that the client had read at the start of the current window, and its time. */
interface ReadProgress {
  bytes: number
  since: number
}

function readsTooSlowly(
  socket: Socket,
  taking: ReadProgress,
  now: number,
  limits: ConnectionLimits,
): boolean {
  const { taken, isWaiting } = outgoing(socket)
  const age = now - taking.since
  // A client cannot read what is not written yet.
  if (isWaiting && age < limits.answerWindowMs) return false
  const isSlow = isWaiting && (taken - taking.bytes) * 1000 < age * limits.minBytesPerSecond
  taking.bytes = taken
  taking.since = now
  return isSlow
}

/** The number of bytes that the client has read, as far as it is known, and whether more are waiting. */
function outgoing(socket: Socket): { taken: number; isWaiting: boolean } {
  // Only the handle knows the progress of a long write.
  const { _handle: handle } = socket as {
    _handle?: { bytesWritten?: number; writeQueueSize?: number } | null
  }
  const { bytesWritten = socket.bytesWritten, writeQueueSize = socket.writableLength } = handle ?? {}
  return { taken: bytesWritten - writeQueueSize, isWaiting: socket.writableLength > 0 }
}

const headersOf = (text: string) => ({
  'Content-Type': 'application/json',
  'Content-Length': Buffer.byteLength(text),
  Connection: 'close',
})

const bodyOf = (status: number): string => JSON.stringify({ message: `${status} ${STATUS_CODES[status]}` })

/** Answers 408 unless an answer has begun, and closes the connection, because the rest of the body may still arrive. */
function endConnection({ socket }: IncomingMessage, response: ServerResponse): void {
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

/** Without a parsed request there is no response object, so the answer is written as bytes. */
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
