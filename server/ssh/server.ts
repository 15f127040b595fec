import { generateKeyPair } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server as NetServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

import type { Connection, Server as SshServer, ServerConfig } from 'ssh2'

import { StartupError } from '../lib/fail.ts'
import { SshConnection, type SshService } from './connection.ts'
import { writeDurably } from '../lib/files/durable-file.ts'
import { makeSshKeyPair } from '../lib/ssh/key-pair.ts'

/** The maximum number of connections, and of those that have not signed in. */
const MAX_CONNECTIONS = 200
const MAX_UNAUTHENTICATED = 60
/** The maximum number of connections of one address that have not signed in. So one address cannot block the others. */
const MAX_UNAUTHENTICATED_PER_ADDRESS = 20
const CLOSE_GRACE_MS = 1000

/** The offered algorithms, without old, weak and slow ones. There is no compression, because git compresses its data. */
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
  /** The port, or 0 for any free one. */
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
 * Starts to listen. The start of the instance calls this before it changes anything on disk, because the port may be in
 * use, and calls `open` when the instance is ready. Throws StartupError when the port or the host keys cannot be used.
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
  const { port } = await listen(server, options)
  const ssh2 = await loadSsh2()
  const keys = await hostKeys(options.keyFolder).catch((error: unknown) => {
    server.close()
    throw error
  })
  return {
    port,
    open(service) {
      const ssh = new ssh2.Server({ hostKeys: keys, algorithms: ALGORITHMS, ident: 'Deskforge' })
      receive = socketHandler(ssh, service)
    },
    close: () => closeAll(server, sockets),
  }
}

/** Loads ssh2 through its default export: it is a CommonJS package, and not every loader finds its named exports. */
async function loadSsh2(): Promise<typeof import('ssh2')> {
  const module = (await import('ssh2')) as unknown as { default: typeof import('ssh2') }
  return module.default
}

/** Returns a function that passes sockets to ssh2, and handles the connections of ssh2. */
function socketHandler(ssh: SshServer, service: SshService): (socket: Socket) => void {
  const injectedSockets = new Map<string, Socket>()
  const unauthenticated = new Set<Socket>()
  ssh.on('connection', (connection: Connection, { ip, port }) => {
    const socket = injectedSockets.get(`${ip} ${port}`)
    if (socket) new SshConnection(connection, socket, service)
    else connection.end()
  })
  ssh.on('error', (error: Error) => service.log({ err: error }, 'ssh server'))
  return (socket) => {
    const ofAddress = [...unauthenticated].filter((other) => other.remoteAddress === socket.remoteAddress)
    if (unauthenticated.size >= MAX_UNAUTHENTICATED || ofAddress.length >= MAX_UNAUTHENTICATED_PER_ADDRESS)
      return void socket.destroy()
    unauthenticated.add(socket)
    const peer = `${socket.remoteAddress} ${socket.remotePort}`
    injectedSockets.set(peer, socket)
    // A client that does not sign in must not occupy a slot.
    const timer = setTimeout(() => socket.destroy(), service.signInMs ?? 30_000).unref()
    const markAuthenticated = (): void => {
      clearTimeout(timer)
      unauthenticated.delete(socket)
    }
    socket.once('signed-in', markAuthenticated).once('close', () => {
      markAuthenticated()
      injectedSockets.delete(peer)
    })
    socket.setNoDelay(true)
    ssh.injectSocket(socket)
  }
}

async function listen(server: NetServer, { host, port }: SshOptions): Promise<AddressInfo> {
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

async function closeAll(server: NetServer, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const socket of sockets) socket.end()
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy()
  }, CLOSE_GRACE_MS)
  await closed
  clearTimeout(timer)
}

/**
 * Returns the host keys in a folder, and creates missing ones. Throws StartupError when they cannot be read or written.
 */
async function hostKeys(folder: string): Promise<string[]> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const ed25519 = await loadOrCreate(folder, 'ssh_host_ed25519_key', async () => {
      // ssh2 can create keys too, but it cannot read one in two hundred of them.
      return makeSshKeyPair('deskforge').privateKey
    })
    const rsa = await loadOrCreate(folder, 'ssh_host_rsa_key', makeRsa)
    return [ed25519, rsa]
  } catch (error) {
    throw new StartupError(`The SSH host keys in ${folder} cannot be used: ${(error as Error).message}.`)
  }
}

async function loadOrCreate(folder: string, name: string, make: () => Promise<string>): Promise<string> {
  const file = join(folder, name)
  const existing = readIfExists(file)
  if (existing !== undefined) return existing
  const newKey = await make()
  // The file is written completely or not at all.
  writeDurably(file, newKey)
  return newKey
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Generates the key in the thread pool, because it takes too long for the event loop. */
async function makeRsa(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 3072 })
  return privateKey.export({ type: 'pkcs1', format: 'pem' }) as string
}
