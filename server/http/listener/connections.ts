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

/** Time limits for clients in milliseconds, and the minimum rate. */
export interface ConnectionLimits {
  /** The time that an idle connection stays open. Clients and proxies that reuse connections expect at least 60 s. */
  readonly keepAliveMs: number
  /** Time limit of the headers. A limit below `keepAliveMs` could end a reused connection during a request. */
  readonly headersMs: number
  /** A request is ended if no byte of its body arrives for this long. */
  readonly silentMs: number
  /** An answer is ended if the client reads no byte for this long. */
  readonly unreadMs: number
  /** The period over which the rate of an answer is measured. A client that reads more slowly is disconnected. */
  readonly answerWindowMs: number
  /** The period over which the rate of a body is measured. */
  readonly windowMs: number
  /** The minimum rate of bodies and answers. Even a push over a slow connection is ten times as fast. */
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
    // A push over a slow connection may take long, so a body has a minimum rate instead of a time limit.
    requestTimeout: 0,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(10_000, limits.headersMs),
  }
}

/** The progress of a request body that is still arriving. */
interface BodyProgress {
  readonly response: ServerResponse
  readonly isText: boolean
  readonly since: number
  /** The bytes that the connection had received at the start of the current period, and that time. */
  windowBytes: number
  windowSince: number
  /** The bytes that the connection had received when the last bytes arrived, and that time. */
  lastBytes: number
  lastSince: number
}

/** Disconnects slow clients. Those that send a body too slowly get 408 first. */
export function superviseConnections(server: Server | TlsServer, limits: ConnectionLimits): void {
  const bodies = new Map<IncomingMessage, BodyProgress>()
  const responses = new WeakMap<Duplex, ServerResponse>()
  const handshaken = new WeakSet<Duplex>()
  const sockets = new Map<Socket, ReadProgress>()
  const watch = (socket: Socket): void => {
    sockets.set(socket, { bytes: 0, since: performance.now() })
    socket.once('close', () => sockets.delete(socket))
  }
  server.on('connection', watch)
  server.on('secureConnection', (socket: TLSSocket) => {
    handshaken.add(socket)
    watch(socket)
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    responses.set(request.socket, response)
    if (hasBody(request)) bodies.set(request, progressOf(request, response))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // After a failed handshake (the client sent plain HTTP, for example) the client cannot read an answer.
    if (socket instanceof TLSSocket && !handshaken.has(socket)) socket.destroy()
    else refuse(error, socket, responses.get(socket))
  })
  // Node's timeout also fires while a long write makes progress, so the unread bytes decide.
  server.setTimeout(limits.unreadMs, (socket) => {
    const response = responses.get(socket)
    // Before the first request the time limit of the headers applies; after the last answer, that of idle connections.
    const isIdle = response?.closed ?? false
    if (isIdle || socket.writableLength > 0) socket.destroy()
    else socket.setTimeout(limits.unreadMs)
  })
  const timer = setInterval(() => {
    const now = performance.now()
    for (const [request, body] of bodies) {
      if (request.complete || request.socket.destroyed) bodies.delete(request)
      else if (isTooSlow(request, body, now, limits)) {
        bodies.delete(request)
        endConnection(request, body.response)
      }
    }
    for (const [socket, progress] of sockets)
      if (readsTooSlowly(socket, progress, now, limits)) socket.destroy()
  }, limits.checkMs).unref()
  server.once('close', () => clearInterval(timer))
}

function progressOf(request: IncomingMessage, response: ServerResponse): BodyProgress {
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

function isTooSlow(
  request: IncomingMessage,
  body: BodyProgress,
  now: number,
  limits: ConnectionLimits,
): boolean {
  if (body.isText && now - body.since > limits.textBodyMs) return true
  const bytes = request.socket.bytesRead
  // While received bytes wait to be read, the server causes the delay.
  const isServerDelay = request.readableLength > 0
  if (isServerDelay || bytes !== body.lastBytes) [body.lastBytes, body.lastSince] = [bytes, now]
  if (now - body.lastSince > limits.silentMs) return true
  const age = now - body.windowSince
  if (!isServerDelay && age < limits.windowMs) return false
  const isSlow = !isServerDelay && (bytes - body.windowBytes) * 1000 < age * limits.minBytesPerSecond
  body.windowBytes = bytes
  body.windowSince = now
  return isSlow
}

/** The bytes that the client had read at the start of the current period, and that time. */
interface ReadProgress {
  bytes: number
  since: number
}

function readsTooSlowly(
  socket: Socket,
  progress: ReadProgress,
  now: number,
  limits: ConnectionLimits,
): boolean {
  const { readBytes, isWaiting } = readState(socket)
  const age = now - progress.since
  // While nothing waits, the client cannot read, and a new period starts.
  if (isWaiting && age < limits.answerWindowMs) return false
  const isSlow = isWaiting && (readBytes - progress.bytes) * 1000 < age * limits.minBytesPerSecond
  progress.bytes = readBytes
  progress.since = now
  return isSlow
}

/** The number of bytes that the client has read, as far as it is known, and whether more bytes are waiting. */
function readState(socket: Socket): { readBytes: number; isWaiting: boolean } {
  // Only the handle knows the progress of a long write.
  const { _handle: handle } = socket as {
    _handle?: { bytesWritten?: number; writeQueueSize?: number } | null
  }
  const { bytesWritten = socket.bytesWritten, writeQueueSize = socket.writableLength } = handle ?? {}
  return { readBytes: bytesWritten - writeQueueSize, isWaiting: socket.writableLength > 0 }
}

const headersOf = (text: string) => ({
  'Content-Type': 'application/json',
  'Content-Length': Buffer.byteLength(text),
  Connection: 'close',
})

const bodyOf = (status: number): string => JSON.stringify({ message: `${status} ${STATUS_CODES[status]}` })

/** Closes a connection, because the rest of the body may still arrive. Sends 408 first, unless an answer has begun. */
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

/** Answers a request that cannot be parsed. It has no response object, so the answer is written to the socket. */
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
