import type { Socket } from 'node:net'

import type { AuthContext, Connection, PublicKeyAuthContext, ServerChannel, Session } from 'ssh2'

import { isProofValid, type Proof } from './proof.ts'

/** A command of a client, and its streams. */
export interface SshCommand {
  readonly text: string
  readonly channel: ServerChannel
  readonly protocol: string | undefined
  readonly signal: AbortSignal
}

/** The functions of the instance that the SSH server calls. Clients are identified by the ID of their key. */
export interface SshService {
  /** The ID of the key that a client offers. Undefined if the key may not sign in. */
  offeredKeyId(blob: Buffer): number | undefined
  /** Counts an invalid key or password. Returns true when the address has tried too many different ones. */
  hasTooManyFailures(credential: string, ip: string): boolean
  /** The text for a client that signs in without a command. */
  greeting(keyId: number): string
  /** Runs a command; resolves to its exit code. */
  run(keyId: number, command: SshCommand): Promise<number>
  log(details: object, message: string): void
  /** The time limit for signing in, 30 seconds by default. */
  readonly signInMs?: number
  /** The time after which a connection without traffic is closed, 10 minutes by default. */
  readonly idleMs?: number
}

/** The maximum number of refused sign-ins of a connection. An SSH agent offers all its keys in turn. */
const MAX_ATTEMPTS = 20
const MAX_SESSIONS = 10
const USER = 'git'

/** One connection: signs in with a key, and runs git commands only. */
export class SshConnection {
  readonly #connection: Connection
  readonly #service: SshService
  readonly #ip: string
  readonly #disconnected = new AbortController()
  #keyId: number | undefined
  #attempts = 0
  #sessions = 0

  constructor(connection: Connection, socket: Socket, service: SshService) {
    this.#connection = connection
    this.#service = service
    this.#ip = socket.remoteAddress ?? ''
    socket.setTimeout(service.idleMs ?? 600_000, () => socket.destroy())
    socket.once('close', () => this.#disconnected.abort(new Error('The client disconnected.')))
    connection
      .on('authentication', (context) => this.#authenticate(context))
      .on('ready', () => void socket.emit('signed-in'))
      .on('session', (accept, reject) => this.#open(accept, reject))
      .on('error', (error) => service.log({ err: error }, 'ssh connection'))
  }

  #authenticate(context: AuthContext): void {
    if (context.method !== 'publickey' || context.username !== USER) return this.#refuse(context)
    const { key, signature } = context as PublicKeyAuthContext
    const keyId = this.#service.offeredKeyId(key.data)
    if (keyId === undefined) return this.#refuse(context)
    // Without a signature the client only queries whether the key is acceptable.
    if (signature) {
      if (!isProofValid(context as unknown as Proof)) return this.#refuse(context)
      this.#keyId = keyId
    }
    context.accept()
  }

  #refuse(context: AuthContext): void {
    this.#attempts++
    const credential = credentialOf(context)
    const hasTooManyFailures =
      credential !== undefined && this.#service.hasTooManyFailures(credential, this.#ip)
    context.reject(['publickey'])
    if (hasTooManyFailures || this.#attempts >= MAX_ATTEMPTS) this.#connection.end()
  }

  #open(accept: () => Session, reject: () => void): void {
    const keyId = this.#keyId
    if (keyId === undefined || this.#sessions >= MAX_SESSIONS) return void reject()
    this.#sessions++
    const session = accept()
    let protocol: string | undefined
    session.once('close', () => this.#sessions--)
    session.on('env', (allow, refuse, { key, val }) => {
      // Git's protocol needs only this variable; all others are refused.
      if (key !== 'GIT_PROTOCOL') return void refuse?.()
      protocol = val
      allow?.()
    })
    session.once('shell', (allow) => {
      const channel = allow()
      channel.stderr.write(`${this.#service.greeting(keyId)}\n`)
      finish(channel, 0)
    })
    session.once('exec', (allow, _refuse, { command }) => {
      void this.#run(keyId, { text: command, channel: allow(), protocol })
    })
  }

  async #run(keyId: number, command: Omit<SshCommand, 'signal'>): Promise<void> {
    const closed = new AbortController()
    const { channel } = command
    channel.once('close', () => closed.abort(new Error('The client closed the channel.')))
    channel.on('error', () => {})
    channel.stderr.on('error', () => {})
    const signal = AbortSignal.any([closed.signal, this.#disconnected.signal])
    try {
      finish(channel, await this.#service.run(keyId, { ...command, signal }))
    } catch (error) {
      this.#service.log({ err: error }, 'a command over SSH failed')
      channel.stderr.write('ERROR: Internal server error.\n')
      finish(channel, 1)
    }
  }
}

/** The credentials of a sign-in attempt. Undefined if the client only asks for the supported methods. */
function credentialOf(context: AuthContext): string | undefined {
  if (context.method === 'publickey') return `ssh ${context.key.data.toString('base64')}`
  return context.method === 'password' ? `ssh ${context.username} ${context.password}` : undefined
}

/** Sends the exit code, and closes the channel after everything is sent. */
function finish(channel: ServerChannel, code: number): void {
  if (channel.destroyed) return
  channel.exit(code)
  channel.end()
  // The channel closes only after all input has been read.
  channel.resume()
}
