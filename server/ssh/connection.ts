import type { Socket } from 'node:net'

import type { AuthContext, Connection, PublicKeyAuthContext, ServerChannel, Session } from 'ssh2'

import { proofHolds, type Proof } from './proof.ts'

/** A command that a guest wants to be run, and its streams. */
export interface SshCommand {
  readonly text: string
  readonly channel: ServerChannel
  readonly protocol: string | undefined
  readonly signal: AbortSignal
}

/** What the server does for its guests. Guests are known by the id of the key that they proved to have. */
export interface SshService {
  /** The key that a client shows, if it may sign in with it. */
  keyShown(blob: Buffer): number | undefined
  /** Counts a key or password that does not hold; true when the address showed too many different ones. */
  isOneTooMany(shown: string, ip: string): boolean
  /** What a plain login is told. */
  greeting(keyId: number): string
  /** Runs a command; resolves to its exit code. */
  run(keyId: number, command: SshCommand): Promise<number>
  log(details: object, message: string): void
  /** How long somebody may take to sign in; 30 s. */
  readonly patienceMs?: number
  /** How long a connection may be silent; 10 min. */
  readonly silenceMs?: number
}

/** An agent full of keys shows them one after the other. */
const MAX_ATTEMPTS = 20
const MAX_SESSIONS = 10
const USER = 'git'

/** One connection: signs in with a key, and runs commands of git, nothing else. */
export class SshConnection {
  readonly #connection: Connection
  readonly #service: SshService
  readonly #ip: string
  readonly #gone = new AbortController()
  #keyId: number | undefined
  #attempts = 0
  #sessions = 0

  constructor(connection: Connection, socket: Socket, service: SshService) {
    this.#connection = connection
    this.#service = service
    this.#ip = socket.remoteAddress ?? ''
    // No bytes in either direction: whatever it waits for does not come any more.
    socket.setTimeout(service.silenceMs ?? 600_000, () => socket.destroy())
    socket.once('close', () => this.#gone.abort(new Error('The client went away.')))
    connection
      .on('authentication', (context) => this.#authenticate(context))
      .on('ready', () => void socket.emit('signed-in'))
      .on('session', (accept, reject) => this.#open(accept, reject))
      .on('error', (error) => service.log({ err: error }, 'ssh connection'))
  }

  #authenticate(context: AuthContext): void {
    if (context.method !== 'publickey' || context.username !== USER) return this.#refuse(context)
    const { key, signature } = context as PublicKeyAuthContext
    const keyId = this.#service.keyShown(key.data)
    if (keyId === undefined) return this.#refuse(context)
    // Without a signature the client only asks whether this key is worth one.
    if (signature) {
      if (!proofHolds(context as unknown as Proof)) return this.#refuse(context)
      this.#keyId = keyId
    }
    context.accept()
  }

  #refuse(context: AuthContext): void {
    this.#attempts++
    const shown = shownIn(context)
    const isOneTooMany = shown !== undefined && this.#service.isOneTooMany(shown, this.#ip)
    context.reject(['publickey'])
    if (isOneTooMany || this.#attempts >= MAX_ATTEMPTS) this.#connection.end()
  }

  #open(accept: () => Session, reject: () => void): void {
    const keyId = this.#keyId
    if (keyId === undefined || this.#sessions >= MAX_SESSIONS) return void reject()
    this.#sessions++
    const session = accept()
    let protocol: string | undefined
    session.once('close', () => this.#sessions--)
    session.on('env', (allow, refuse, { key, val }) => {
      // The one variable that means something to git's protocol; every other is refused.
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

  async #run(keyId: number, given: Omit<SshCommand, 'signal'>): Promise<void> {
    const closed = new AbortController()
    const { channel } = given
    channel.once('close', () => closed.abort(new Error('The client closed the channel.')))
    channel.on('error', () => {})
    channel.stderr.on('error', () => {})
    const signal = AbortSignal.any([closed.signal, this.#gone.signal])
    try {
      finish(channel, await this.#service.run(keyId, { ...given, signal }))
    } catch (error) {
      this.#service.log({ err: error }, 'a command over SSH failed')
      channel.stderr.write('ERROR: Something went wrong in the server.\n')
      finish(channel, 1)
    }
  }
}

/** What a client showed to sign in; many begin by asking for the ways to do it, which shows nothing. */
function shownIn(context: AuthContext): string | undefined {
  if (context.method === 'publickey') return `ssh ${context.key.data.toString('base64')}`
  return context.method === 'password' ? `ssh ${context.username} ${context.password}` : undefined
}

/** Says how it went, and closes the channel once everything is sent. */
function finish(channel: ServerChannel, code: number): void {
  if (channel.destroyed) return
  channel.exit(code)
  channel.end()
  // What the client still says is read to its end, or the close would wait for it.
  channel.resume()
}
