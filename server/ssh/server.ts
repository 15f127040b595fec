import { createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net'

import type { Connection, Server as SshServer, ServerConfig } from 'ssh2'

import { StartupError } from '../lib/fail.ts'
import { SshConnection, type SshService } from './connection.ts'
import { hostKeys } from './host-keys.ts'

/** Connections at a time, and those of them that have not signed in yet. */
const MAX_CONNECTIONS = 200
const MAX_STRANGERS = 60
/** Strangers from one address: nobody keeps the others out. */
const MAX_STRANGERS_EACH = 20
const CLOSE_GRACE_MS = 1000

/** What is old, slow in plain JavaScript or known to be weak is not offered. Nothing is compressed: that is git's. */
const ALGORITHMS: ServerConfig['algorithms'] = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group14-sha256',
  ],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
}

/** Where to listen, and the folder of the host keys. */
export interface SshOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  readonly keyFolder: string
}

/** A listening SSH server. It hangs up on everybody until it is opened. */
export interface SshDoor {
  readonly port: number
  open(service: SshService): void
  close(): Promise<void>
}

/**
 * Starts to listen. Listening comes early, so that a taken port changes nothing on disk; serving comes when the instance
 * is complete. Throws StartupError when the port cannot be had, or the host keys cannot be used.
 */
export async function listenForSsh(options: SshOptions): Promise<SshDoor> {
  const sockets = new Set<Socket>()
  let receive = (socket: Socket): void => void socket.destroy()
  const server = createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    socket.on('error', () => {})
    if (sockets.size > MAX_CONNECTIONS) socket.destroy()
    else receive(socket)
  })
  const { port } = await listening(server, options)
  const ssh2 = await loadSsh2()
  const keys = await hostKeys(options.keyFolder).catch((error: unknown) => {
    server.close()
    throw error
  })
  return {
    port,
    open(service) {
      const desk = new ssh2.Server({ hostKeys: keys, algorithms: ALGORITHMS, ident: 'Deskforge' })
      receive = reception(desk, service)
    },
    close: () => closing(server, sockets),
  }
}

/** The package is CommonJS, whose names not every loader finds. */
async function loadSsh2(): Promise<typeof import('ssh2')> {
  const loaded = (await import('ssh2')) as unknown as { default: typeof import('ssh2') }
  return loaded.default
}

/** Hands sockets to ssh2, and the connections that come of them to their guests. */
function reception(desk: SshServer, service: SshService): (socket: Socket) => void {
  const waiting = new Map<string, Socket>()
  const strangers = new Set<Socket>()
  desk.on('connection', (connection: Connection, { ip, port }) => {
    const socket = waiting.get(`${ip} ${port}`)
    if (socket) new SshConnection(connection, socket, service)
    else connection.end()
  })
  desk.on('error', (error: Error) => service.log({ err: error }, 'ssh server'))
  return (socket) => {
    const alike = [...strangers].filter((other) => other.remoteAddress === socket.remoteAddress)
    if (strangers.size >= MAX_STRANGERS || alike.length >= MAX_STRANGERS_EACH) return void socket.destroy()
    strangers.add(socket)
    const place = `${socket.remoteAddress} ${socket.remotePort}`
    waiting.set(place, socket)
    // Whoever has not signed in by then is only taking a place.
    const timer = setTimeout(() => socket.destroy(), service.patienceMs ?? 30_000).unref()
    const known = (): void => {
      clearTimeout(timer)
      strangers.delete(socket)
    }
    socket.once('signed-in', known).once('close', () => {
      known()
      waiting.delete(place)
    })
    socket.setNoDelay(true)
    desk.injectSocket(socket)
  }
}

async function listening(server: NetServer, { host, port }: SshOptions): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EADDRINUSE' ? 'it is in use by another program' : error.message
    throw new StartupError(`Port ${port} on ${host} cannot be used for SSH: ${reason}.`)
  })
  server.on('error', () => {})
  return server.address() as AddressInfo
}

async function closing(server: NetServer, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const socket of sockets) socket.end()
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy()
  }, CLOSE_GRACE_MS)
  await closed
  clearTimeout(timer)
}
