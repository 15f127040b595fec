import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

import type { Clock } from '../../lib/clock.ts'
import { StartupError } from '../../lib/fail.ts'
import type { Logger } from '../../lib/log.ts'
import type { OwnCertificate } from '../../lib/net/own-certificate.ts'
import { readCertificate, ServedCertificate, type CertificateFiles } from './certificate.ts'
import {
  CONNECTION_LIMITS,
  serverOptions,
  superviseConnections,
  type ConnectionLimits,
} from './connections.ts'

/** The time in milliseconds that running requests get to finish at the stop. */
const STOP_MS = 1000

/** The options of a listening server. */
export interface ListenOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly limits: Partial<ConnectionLimits> | undefined
  /** The certificate; with it the server only accepts HTTPS. */
  readonly files: CertificateFiles | undefined
  /** The public address; undefined when it is the address that the server listens on. */
  readonly url: string | undefined
  /** The path of a copy of the certificate. */
  readonly copy: string
  readonly clock: Clock
}

/** A listening server. It answers 503 until it has a handler. */
export interface Listener {
  readonly port: number
  /** The address of the server for programs on this machine. */
  readonly url: string
  readonly certificate: OwnCertificate | undefined
  /** Sets the handler of requests. */
  handle(handler: (request: IncomingMessage, response: ServerResponse) => void): void
  /** Reads the certificate again when its files change, until the returned function is called. */
  follow(log: Logger): () => void
  /** Stops listening. Waits a moment for running requests, then ends them. */
  stop(): Promise<void>
}

/** Starts listening. Throws `StartupError` when the address is in use or the certificate is invalid. */
export async function openListener(options: ListenOptions): Promise<Listener> {
  const { host, files, clock } = options
  const limits = { ...CONNECTION_LIMITS, ...options.limits }
  const current = files && readCertificate(files, clock.now())
  const server = current
    ? createTlsServer({ ...serverOptions(limits), ...current.context, handshakeTimeout: limits.handshakeMs })
    : createServer(serverOptions(limits))
  superviseConnections(server, limits)
  const sockets = socketsOf(server)
  server.on('request', answerNotReady)
  const { port } = await listen(server, host, options.port)
  const url = urlOf(current ? 'https' : 'http', host, port)
  const certificate =
    files && current && 'setSecureContext' in server
      ? new ServedCertificate({ ...options, files, loaded: current, server, ownUrl: url })
      : undefined
  return {
    port,
    url,
    certificate,
    follow: (log) => certificate?.follow(log, limits.certificateMs) ?? (() => undefined),
    handle: (handler) => void server.off('request', answerNotReady).on('request', handler),
    stop: () => stopServing(server, sockets),
  }
}

/** All connections, also those with a running TLS handshake, which the server does not list. */
function socketsOf(server: Server | TlsServer): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

async function listen(server: Server | TlsServer, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new StartupError(`Port ${port} on ${host} is in use by another program.`, 1, 'port_taken')
    if (error.code === 'EACCES') throw new StartupError(`Port ${port} on ${host} is not open to this user.`)
    throw new StartupError(`The instance cannot listen on ${host}, port ${port}: ${error.message}.`)
  })
  return server.address() as AddressInfo
}

function urlOf(scheme: string, host: string, port: number): string {
  const hostname = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  // Browsers leave out the default port.
  return new URL(`${scheme}://${hostname}:${port}`).origin
}

/** Answers 503 before the server is ready; without an answer such a request would wait forever. */
function answerNotReady(_request: IncomingMessage, response: ServerResponse): void {
  const headers = { 'Content-Type': 'application/json', 'Retry-After': '1', Connection: 'close' }
  response.writeHead(503, headers).end('{"message":"503 Service Unavailable"}')
}

async function stopServing(server: Server | TlsServer, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const timer = setTimeout(() => {
    server.closeAllConnections()
    for (const socket of sockets) socket.destroy()
  }, STOP_MS)
  await closed
  clearTimeout(timer)
}
