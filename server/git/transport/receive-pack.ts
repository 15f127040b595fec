import { PassThrough } from 'node:stream'
import type { Readable } from 'node:stream'
import { storageProblem } from '../../lib/files/storage-problem.ts'
import { git, value } from '../args.ts'
import { DiskWatch } from '../process/disk-watch.ts'
import { GitError } from '../errors.ts'
import { descriptorChannel, pipeChannel } from './push-channel.ts'
import type { HookAnswer, HookCall, PushChannel, PushUpdate } from './push-channel.ts'
import { hooksFolder } from './push-hooks.ts'
import { clearStaleLocks } from '../upkeep/stale-locks.ts'
import { refTarget } from '../read/revisions.ts'
import { open } from '../process/run.ts'
import type { Config, GitStream } from '../process/run.ts'
import { asInputError, packet, protocolEnv } from './smart-http.ts'
import { PUSH_CONFIG } from './transfer-config.ts'
import { isZeroId } from '../names.ts'
import type { Repo } from '../types.ts'

export type { PushUpdate } from './push-channel.ts'

/** A push that waits for permission. */
export interface PendingPush {
  readonly updates: readonly PushUpdate[]
  /** What the user gave with `git push -o`. */
  readonly options: readonly string[]
  /** Environment with which other git commands see the objects of the push; they are not in the repository yet. */
  readonly quarantineEnv: Readonly<Record<string, string>>
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
}

export type Verdict =
  | { readonly ok: true; readonly messages?: readonly string[] }
  | { readonly ok: false; readonly message: string }

export interface ReceiveOptions {
  /** The request's body, already decompressed; or all that a client says on a connection that stays open. */
  readonly body: Readable
  /** A connection over which both sides talk, as SSH has it: refs are advertised on it first. Default false, HTTP. */
  readonly isConnection?: boolean
  /** The request's Git-Protocol header. */
  readonly protocol?: string
  /** Aborts the push, as long as it is not accepted yet. */
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** Bound of the pack in bytes; more is refused at the user's prompt. */
  readonly maxPackBytes?: number
  /** Decides about the push. Throwing refuses it. */
  readonly preReceive: (push: PendingPush) => Promise<Verdict>
  /**
   * Told which refs really changed, exactly once if any did. The user is told of success only after it resolved;
   * what it returns is shown at the prompt. Throwing leaves the refs changed, but the user without a success.
   */
  readonly postReceive: (push: {
    readonly updates: readonly PushUpdate[]
    readonly options: readonly string[]
  }) => Promise<{ readonly messages?: readonly string[] } | void>
  /** How the hooks reach us; by default what the platform can do. */
  readonly channel?: 'descriptors' | 'pipe'
}

/** How long git may go on by itself with a push whose client is gone. */
const PATIENCE_MS = 30_000
const REFUSED: Verdict = { ok: false, message: 'The push was given up.' }
const DEFAULT_TIMEOUT_MS = 3 * 3600 * 1000

/**
 * The answer to `POST …/git-receive-pack`: a push. Output streams while the objects arrive and are checked; after the
 * verdict the little rest is held back until the push is recorded, so that an acknowledged push always is. `done`
 * settles with the refs that changed. Throws GitInputError for a request that git does not understand.
 */
export async function receivePack(
  repo: Repo,
  options: ReceiveOptions,
): Promise<{ stream: Readable; done: Promise<readonly PushUpdate[]> }> {
  const push = new Push(repo, options)
  await push.start()
  return { stream: push.output, done: push.done }
}

/** A fatal error on the side band, which clients show and fail with. Just hanging up, they might try again. */
const notRecorded = (error: unknown): string =>
  packet(
    `\u0003The push was not completed because of an error in the server. ${storageProblem(error)?.message ?? ''}\n`,
  )

class Push {
  readonly output = new PassThrough()
  readonly done: Promise<readonly PushUpdate[]>
  readonly #repo: Repo
  readonly #options: ReceiveOptions
  readonly #gone = new AbortController()
  readonly #settle = Promise.withResolvers<readonly PushUpdate[]>()
  readonly #begun = Promise.withResolvers<void>()
  #stream: GitStream | undefined
  /** What git wrote after the verdict; null before it. */
  #held: Buffer[] | null = null
  readonly #watch = new DiskWatch()
  #accepted: HookCall | null = null
  #made: readonly PushUpdate[] | null = null
  #failure: unknown = null
  #patience: NodeJS.Timeout | undefined
  /** Git has ended. */
  #isOver = false
  /** Says that refs are written. */
  #leaveLanding: (() => void) | undefined

  constructor(repo: Repo, options: ReceiveOptions) {
    this.#repo = repo
    this.#options = options
    this.done = this.#settle.promise
    // Whoever only wants the stream need not listen.
    this.done.catch(() => {})
    this.#begun.promise.catch(() => {})
    this.output.on('error', () => {})
  }

  async start(): Promise<void> {
    const hooks = await hooksFolder(this.#repo.git)
    const kind = this.#options.channel ?? (process.platform === 'win32' ? 'pipe' : 'descriptors')
    const channel = kind === 'pipe' ? await pipeChannel(this.#repo.git, hooks) : descriptorChannel()
    try {
      this.#stream = await this.#open(channel, hooks)
    } catch (error) {
      await channel.close()
      throw error
    }
    const leave = () => this.#leave()
    this.#options.signal?.addEventListener('abort', leave, { once: true })
    if (this.#options.signal?.aborted) leave()
    this.output.once('close', leave)
    this.#options.body.once('error', leave)
    this.#read(this.#stream)
    void this.#finish(this.#stream).finally(async () => {
      this.#options.signal?.removeEventListener('abort', leave)
      await channel.close()
    })
    await this.#begun.promise
  }

  #open(channel: PushChannel, hooks: string): Promise<GitStream> {
    const { maxPackBytes } = this.#options
    const limit: Config = maxPackBytes === undefined ? [] : [['receive.maxInputSize', String(maxPackBytes)]]
    const isConnection = this.#options.isConnection ?? false
    const command = isConnection ? git`receive-pack` : git`receive-pack --stateless-rpc`
    return open(
      this.#repo,
      isConnection ? 'connection.receive_pack' : 'smart_http.receive_pack',
      git`${command} ${value(this.#repo.gitDir)}`,
      {
        place: 'transfer',
        env: { ...protocolEnv(this.#options.protocol), ...channel.env },
        config: [...PUSH_CONFIG, ...limit, ['core.hooksPath', hooks]],
        input: this.#options.body,
        timeoutMs: this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
        descriptors: channel.descriptors,
        onSpawn: (child) =>
          channel.connect(child, (call) => (call.hook === 'pre' ? this.#decide(call) : this.#record(call))),
      },
    )
  }

  /** The client is gone, or never finished its request. Once accepted, the push goes on without it. */
  #leave(): void {
    if (this.#accepted !== null || this.#gone.signal.aborted) return
    this.#gone.abort(this.#options.signal?.reason ?? new Error('The client left the push.'))
    // Killed, git would leave what it received behind. Without input, or with its hook refused, it cleans up.
    this.#stream?.stdin.destroy()
    this.#stream?.stdout.resume()
    this.#patience = setTimeout(() => this.#stream?.stop(), PATIENCE_MS)
  }

  #read(stream: GitStream): void {
    stream.stdout.on('data', (chunk: Buffer) => {
      if (this.#held !== null) {
        this.#held.push(chunk)
        return
      }
      this.#begun.resolve()
      if (this.output.destroyed || this.output.write(this.#watch.pass(chunk))) return
      stream.stdout.pause()
      this.output.once('drain', () => stream.stdout.resume())
      this.output.once('close', () => stream.stdout.resume())
    })
  }

  async #decide(call: HookCall): Promise<HookAnswer> {
    this.#begun.resolve()
    const verdict = this.#gone.signal.aborted ? REFUSED : await this.#ask(call)
    if (verdict.ok && !this.#gone.signal.aborted) await this.#land(call)
    this.#held = []
    // Nobody may be reading any more; what git still has to say must not block it.
    this.#stream?.stdout.resume()
    if (this.#accepted === null) return { ok: false, messages: verdict.ok ? [] : [verdict.message] }
    return { ok: true, messages: verdict.ok ? (verdict.messages ?? []) : [] }
  }

  /** From now on refs are written: locks that nobody holds would refuse them. */
  async #land(call: HookCall): Promise<void> {
    this.#accepted = call
    const refs = call.updates.map(({ ref }) => ref)
    await clearStaleLocks(this.#repo, refs).catch(() => undefined)
    const leave = await this.#repo.git.traffic.land(this.#repo)
    if (this.#isOver) leave()
    else this.#leaveLanding = leave
  }

  #landed(): void {
    this.#leaveLanding?.()
    this.#leaveLanding = undefined
  }

  async #ask(call: HookCall): Promise<Verdict> {
    try {
      const { updates, options, env } = call
      return await this.#options.preReceive({
        updates,
        options,
        quarantineEnv: env,
        signal: this.#gone.signal,
      })
    } catch (error) {
      this.#failure = error
      const message = storageProblem(error)?.message
      return {
        ok: false,
        message: message ?? 'The push could not be checked because of an error in the server.',
      }
    }
  }

  async #record(call: HookCall): Promise<HookAnswer> {
    this.#landed()
    const messages = await this.#tell(call.updates)
    return { ok: true, messages }
  }

  async #tell(updates: readonly PushUpdate[]): Promise<readonly string[]> {
    this.#made = updates
    try {
      const answer = await this.#options.postReceive({ updates, options: this.#accepted?.options ?? [] })
      return answer?.messages ?? []
    } catch (error) {
      this.#failure = error
      return []
    }
  }

  async #finish(stream: GitStream): Promise<void> {
    const problem: unknown = await stream.done.then(
      () => null,
      (error: unknown) => error,
    )
    clearTimeout(this.#patience)
    this.#isOver = true
    this.#landed()
    // Git was stopped between changing the refs and saying so.
    if (problem !== null && this.#accepted !== null && this.#made === null) {
      const made = await this.#compare(this.#accepted.updates)
      if (made.length > 0) await this.#tell(made)
    }
    if (problem !== null && this.#held === null) this.#begun.reject(asInputError(problem))
    this.#begun.resolve()
    if (this.#failure !== null && this.#accepted !== null) this.output.write(notRecorded(this.#failure))
    else for (const chunk of this.#held ?? []) this.output.write(this.#watch.pass(chunk))
    this.output.write(this.#watch.end())
    this.output.end()
    const failure =
      this.#failure ?? (this.#accepted === null ? this.#gone.signal.reason : undefined) ?? problem
    // Git leaves with a code of its own when it refused something, which is an answer.
    const isAnswer = failure instanceof GitError && failure.reason === 'exit'
    if (failure !== null && !isAnswer) this.#settle.reject(failure)
    else this.#settle.resolve(this.#made ?? [])
  }

  async #compare(updates: readonly PushUpdate[]): Promise<PushUpdate[]> {
    const current = await Promise.all(updates.map((update) => refTarget(this.#repo, update.ref)))
    return updates.filter((update, index) => {
      const wanted = isZeroId(update.new) ? null : update.new
      return update.old !== update.new && current[index] === wanted
    })
  }
}
