import { createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net'

import type { Connection, Server as SshServer, ServerConfig } from 'ssh2'

import { StartupError } from '../lib/fail.ts'
import { SshConnection, type SshService } from './connection.ts'
import { hostKeys } from './host-keys.ts'

/** Limits of all connections, and of those that have not signed in. */
const MAX_CONNECTIONS = 200
const MAX_UNAUTHENTICATED = 60
/** Limit of connections per address that have not signed in, so that one address cannot block the others. */
const MAX_UNAUTHENTICATED_PER_ADDRESS = 20
const CLOSE_GRACE_MS = 1000

/** Old, weak and slow algorithms are not offered. Nothing is compressed, because git does that. */
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

/** The address to listen at, and the folder of the host keys. */
export interface SshOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly keyFolder: string
}

/** A listening SSH server. It closes every connection until `open` is called. */
export interface SshListener {
  readonly port: number
  open(service: SshService): void
  close(): Promise<void>
}

/**
 * Starts to listen. The start calls it early, so that a port in use changes nothing on disk, and calls `open` when the
 * instance is complete. Throws StartupError when the port or the host keys cannot be used.
 */
export async function listenForSsh(options: SshOptions): Promise<SshListener> {
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
      const ssh = new ssh2.Server({ hostKeys: keys, algorithms: ALGORITHMS, ident: 'Deskforge' })
      receive = acceptingSockets(ssh, service)
    },
    close: () => closing(server, sockets),
  }
}

/** The package is CommonJS, and not every loader finds its named exports. */
async function loadSsh2(): Promise<typeof import('ssh2')> {
  const loaded = (await import('ssh2')) as unknown as { default: typeof import('ssh2') }
  return loaded.default
}

/** Passes sockets to ssh2, and its connections to SshConnection. */
function acceptingSockets(ssh: SshServer, service: SshService): (socket: Socket) => void {
  const waiting = new Map<string, Socket>()
  const unauthenticated = new Set<Socket>()
  ssh.on('connection', (connection: Connection, { ip, port }) => {
    const socket = waiting.get(`${ip} ${port}`)
    if (socket) new SshConnection(connection, socket, service)
    else connection.end()
  })
  ssh.on('error', (error: Error) => service.log({ err: error }, 'ssh server'))
  return (socket) => {
    const alike = [...unauthenticated].filter((other) => other.remoteAddress === socket.remoteAddress)
    if (unauthenticated.size >= MAX_UNAUTHENTICATED || alike.length >= MAX_UNAUTHENTICATED_PER_ADDRESS)
      return void socket.destroy()
    unauthenticated.add(socket)
    const peer = `${socket.remoteAddress} ${socket.remotePort}`
    waiting.set(peer, socket)
    // Frees the slot of a client that does not sign in.
    const timer = setTimeout(() => socket.destroy(), service.patienceMs ?? 30_000).unref()
    const markAuthenticated = (): void => {
      clearTimeout(timer)
      unauthenticated.delete(socket)
    }
    socket.once('signed-in', markAuthenticated).once('close', () => {
      markAuthenticated()
      waiting.delete(peer)
    })
    socket.setNoDelay(true)
    ssh.injectSocket(socket)
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
