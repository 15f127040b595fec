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
import { packet } from './packets.ts'
import { asInputError, protocolEnv } from './smart-http.ts'
import { PUSH_CONFIG } from './transfer-config.ts'
import { isZeroId } from '../names.ts'
import type { Repo } from '../types.ts'

export type { PushUpdate } from './push-channel.ts'

/** A push that waits for permission. */
export interface PendingPush {
  readonly updates: readonly PushUpdate[]
  /** The options of `git push -o`. */
  readonly options: readonly string[]
  /** Environment that lets other git commands see the objects of the push; they are not in the repository yet. */
  readonly quarantineEnv: Readonly<Record<string, string>>
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

export type Verdict =
  | { readonly ok: true; readonly messages?: readonly string[] }
  | { readonly ok: false; readonly message: string }

export interface ReceiveOptions {
  /** The request's body, already decompressed; or the input of a connection that stays open. */
  readonly body: Readable
  /** A two-way connection as of SSH, where refs are advertised first. Default false: HTTP. */
  readonly isConnection?: boolean
  /** The request's Git-Protocol header. */
  readonly protocol?: string
  /** Aborts the push, as long as it is not accepted yet. */
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** Limit of the pack in bytes; a larger push is refused with a message. */
  readonly maxPackBytes?: number
  /** Accepts or refuses the push. Throwing refuses it. */
  readonly preReceive: (push: PendingPush) => Promise<Verdict>
  /**
   * Called once with the refs that changed, if any did. The client gets its success after this resolves, with the
   * returned messages. When it throws, the refs stay changed but the client gets an error.
   */
  readonly postReceive: (push: {
    readonly updates: readonly PushUpdate[]
    readonly options: readonly string[]
  }) => Promise<{ readonly messages?: readonly string[] } | void>
  /** How the hooks reach this process; default by platform. */
  readonly channel?: 'descriptors' | 'pipe'
}

/** The time in milliseconds that git may continue after the client has disconnected. */
const PATIENCE_MS = 30_000
const REFUSED: Verdict = { ok: false, message: 'The push was canceled.' }
const DEFAULT_TIMEOUT_MS = 3 * 3600 * 1000

/**
 * Answers `POST …/git-receive-pack`: a push. Output streams while objects arrive and are checked. The output after the
 * verdict is held back until the push is recorded, so an acknowledged push is always recorded. `done` resolves with the
 * changed refs. Throws GitInputError for an invalid request.
 */
export async function receivePack(
  repo: Repo,
  options: ReceiveOptions,
): Promise<{ stream: Readable; done: Promise<readonly PushUpdate[]> }> {
  const push = new Push(repo, options)
  await push.start()
  return { stream: push.output, done: push.done }
}

/** A fatal error on the side band: clients show it and fail. After a plain disconnect they might try again. */
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
  /** Git's output after the verdict; null before it. */
  #held: Buffer[] | null = null
  readonly #watch = new DiskWatch()
  #accepted: HookCall | null = null
  #made: readonly PushUpdate[] | null = null
  #failure: unknown = null
  #patience: NodeJS.Timeout | undefined
  /** Git has ended. */
  #isOver = false
  /** Ends the phase in which git writes refs. */
  #leaveLanding: (() => void) | undefined

  constructor(repo: Repo, options: ReceiveOptions) {
    this.#repo = repo
    this.#options = options
    this.done = this.#settle.promise
    // A caller that only uses the stream need not handle these.
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
        pool: 'transfer',
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

  /** The client disconnected. An accepted push continues without it. */
  #leave(): void {
    if (this.#accepted !== null || this.#gone.signal.aborted) return
    this.#gone.abort(this.#options.signal?.reason ?? new Error('The client disconnected during the push.'))
    // A killed git leaves received objects behind. Without input, or with its hook refused, it cleans up.
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
    // The client may have disconnected; git's remaining output must not block it.
    this.#stream?.stdout.resume()
    if (this.#accepted === null) return { ok: false, messages: verdict.ok ? [] : [verdict.message] }
    return { ok: true, messages: verdict.ok ? (verdict.messages ?? []) : [] }
  }

  /** Git writes refs from now on. Stale locks would stop it. */
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
    const messages = await this.#runPostReceive(call.updates)
    return { ok: true, messages }
  }

  async #runPostReceive(updates: readonly PushUpdate[]): Promise<readonly string[]> {
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
    // Git was stopped after it changed refs and before it reported them.
    if (problem !== null && this.#accepted !== null && this.#made === null) {
      const changed = await this.#compare(this.#accepted.updates)
      if (changed.length > 0) await this.#runPostReceive(changed)
    }
    if (problem !== null && this.#held === null) this.#begun.reject(asInputError(problem))
    this.#begun.resolve()
    if (this.#failure !== null && this.#accepted !== null) this.output.write(notRecorded(this.#failure))
    else for (const chunk of this.#held ?? []) this.output.write(this.#watch.pass(chunk))
    this.output.write(this.#watch.end())
    this.output.end()
    const failure =
      this.#failure ?? (this.#accepted === null ? this.#gone.signal.reason : undefined) ?? problem
    // Git exits with a non-zero code when it refused refs, which is a regular answer.
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
