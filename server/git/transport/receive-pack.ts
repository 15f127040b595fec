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
  /** Environment variables with which git commands can read the objects of the push, which are in quarantine. */
  readonly quarantineEnv: Readonly<Record<string, string>>
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

export type Verdict =
  | { readonly ok: true; readonly messages?: readonly string[] }
  | { readonly ok: false; readonly message: string }

export interface ReceiveOptions {
  /** The decompressed body of the request, or the input of a connection that stays open. */
  readonly body: Readable
  /** True for a two-way connection (SSH), on which refs are advertised first. Default false (HTTP). */
  readonly isConnection?: boolean
  /** The request's Git-Protocol header. */
  readonly protocol?: string
  /** Aborts the push unless it is already accepted. */
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** The maximum size of the pack in bytes. A larger push is refused with a message. */
  readonly maxPackBytes?: number
  /** Accepts or refuses the push. An error refuses it. */
  readonly preReceive: (push: PendingPush) => Promise<Verdict>
  /**
   * Called once with the changed refs, unless there are none. The client gets the answer when the promise resolves, with
   * the returned messages. If it rejects, the refs stay changed but the client gets an error.
   */
  readonly postReceive: (push: {
    readonly updates: readonly PushUpdate[]
    readonly options: readonly string[]
  }) => Promise<{ readonly messages?: readonly string[] } | void>
  /** The channel between the hooks and this process; the default depends on the platform. */
  readonly channel?: 'descriptors' | 'pipe'
}

/** The time in milliseconds that git may continue after the client has disconnected. */
const GRACE_MS = 30_000
const REFUSED: Verdict = { ok: false, message: 'The push was canceled.' }
const DEFAULT_TIMEOUT_MS = 3 * 3600 * 1000

/**
 * Answers `POST …/git-receive-pack`, a push. The output is sent while objects arrive and are checked. The output after
 * the verdict is held back until the push is recorded, so an acknowledged push is always recorded. `done` resolves with
 * the changed refs. Throws GitInputError for an invalid request.
 */
export async function receivePack(
  repo: Repo,
  options: ReceiveOptions,
): Promise<{ stream: Readable; done: Promise<readonly PushUpdate[]> }> {
  const push = new Push(repo, options)
  await push.start()
  return { stream: push.output, done: push.done }
}

/** A fatal error on the side band, which clients show. After a disconnect without it they might try again. */
const notRecorded = (error: unknown): string =>
  packet(
    `\u0003The push was not completed because of an error in the server. ${storageProblem(error)?.message ?? ''}\n`,
  )

class Push {
  readonly output = new PassThrough()
  readonly done: Promise<readonly PushUpdate[]>
  readonly #repo: Repo
  readonly #options: ReceiveOptions
  readonly #cancellation = new AbortController()
  readonly #result = Promise.withResolvers<readonly PushUpdate[]>()
  readonly #started = Promise.withResolvers<void>()
  #stream: GitStream | undefined
  /** Git's output after the verdict; null before the verdict. */
  #heldBack: Buffer[] | null = null
  readonly #diskWatch = new DiskWatch()
  #accepted: HookCall | null = null
  #changed: readonly PushUpdate[] | null = null
  #failure: unknown = null
  #stopTimer: NodeJS.Timeout | undefined
  /** True when git has ended. */
  #hasEnded = false
  /** Ends the count of this push as a writer; undefined while git does not write refs. */
  #stopWriting: (() => void) | undefined

  constructor(repo: Repo, options: ReceiveOptions) {
    this.#repo = repo
    this.#options = options
    this.done = this.#result.promise
    // A caller that only uses the stream need not handle these promises.
    this.done.catch(() => {})
    this.#started.promise.catch(() => {})
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
    const cancel = () => this.#cancel()
    this.#options.signal?.addEventListener('abort', cancel, { once: true })
    if (this.#options.signal?.aborted) cancel()
    this.output.once('close', cancel)
    this.#options.body.once('error', cancel)
    this.#forward(this.#stream)
    void this.#finish(this.#stream).finally(async () => {
      this.#options.signal?.removeEventListener('abort', cancel)
      await channel.close()
    })
    await this.#started.promise
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

  /** Cancels the push when the client has disconnected. An accepted push continues. */
  #cancel(): void {
    if (this.#accepted !== null || this.#cancellation.signal.aborted) return
    this.#cancellation.abort(
      this.#options.signal?.reason ?? new Error('The client disconnected during the push.'),
    )
    // A killed git leaves received objects behind. If its input ends or its hook is refused, it removes them.
    this.#stream?.stdin.destroy()
    this.#stream?.stdout.resume()
    this.#stopTimer = setTimeout(() => this.#stream?.stop(), GRACE_MS)
  }

  #forward(stream: GitStream): void {
    stream.stdout.on('data', (chunk: Buffer) => {
      if (this.#heldBack !== null) {
        this.#heldBack.push(chunk)
        return
      }
      this.#started.resolve()
      if (this.output.destroyed || this.output.write(this.#diskWatch.pass(chunk))) return
      stream.stdout.pause()
      this.output.once('drain', () => stream.stdout.resume())
      this.output.once('close', () => stream.stdout.resume())
    })
  }

  async #decide(call: HookCall): Promise<HookAnswer> {
    this.#started.resolve()
    const verdict = this.#cancellation.signal.aborted ? REFUSED : await this.#runPreReceive(call)
    if (verdict.ok && !this.#cancellation.signal.aborted) await this.#startWriting(call)
    this.#heldBack = []
    // The client may have disconnected, and then git must not wait for a reader of its remaining output.
    this.#stream?.stdout.resume()
    if (this.#accepted === null) return { ok: false, messages: verdict.ok ? [] : [verdict.message] }
    return { ok: true, messages: verdict.ok ? (verdict.messages ?? []) : [] }
  }

  /** Prepares for git to write refs: removes stale locks, and counts the push as a writer. */
  async #startWriting(call: HookCall): Promise<void> {
    this.#accepted = call
    const refs = call.updates.map(({ ref }) => ref)
    await clearStaleLocks(this.#repo, refs).catch(() => undefined)
    const leave = await this.#repo.git.traffic.enterWrite(this.#repo)
    if (this.#hasEnded) leave()
    else this.#stopWriting = leave
  }

  #endWriting(): void {
    this.#stopWriting?.()
    this.#stopWriting = undefined
  }

  async #runPreReceive(call: HookCall): Promise<Verdict> {
    try {
      const { updates, options, env } = call
      return await this.#options.preReceive({
        updates,
        options,
        quarantineEnv: env,
        signal: this.#cancellation.signal,
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
    this.#endWriting()
    const messages = await this.#runPostReceive(call.updates)
    return { ok: true, messages }
  }

  async #runPostReceive(updates: readonly PushUpdate[]): Promise<readonly string[]> {
    this.#changed = updates
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
    clearTimeout(this.#stopTimer)
    this.#hasEnded = true
    this.#endWriting()
    // Git may have been stopped after it changed refs and before it reported them.
    if (problem !== null && this.#accepted !== null && this.#changed === null) {
      const changed = await this.#completed(this.#accepted.updates)
      if (changed.length > 0) await this.#runPostReceive(changed)
    }
    if (problem !== null && this.#heldBack === null) this.#started.reject(asInputError(problem))
    this.#started.resolve()
    if (this.#failure !== null && this.#accepted !== null) this.output.write(notRecorded(this.#failure))
    else for (const chunk of this.#heldBack ?? []) this.output.write(this.#diskWatch.pass(chunk))
    this.output.write(this.#diskWatch.end())
    this.output.end()
    const failure =
      this.#failure ?? (this.#accepted === null ? this.#cancellation.signal.reason : undefined) ?? problem
    // Git exits with a non-zero code when it refused refs, which is a regular answer.
    const isAnswer = failure instanceof GitError && failure.reason === 'exit'
    if (failure !== null && !isAnswer) this.#result.reject(failure)
    else this.#result.resolve(this.#changed ?? [])
  }

  /** The updates that git has made, by the current values of the refs. */
  async #completed(updates: readonly PushUpdate[]): Promise<PushUpdate[]> {
    const current = await Promise.all(updates.map((update) => refTarget(this.#repo, update.ref)))
    return updates.filter((update, index) => {
      const target = isZeroId(update.new) ? null : update.new
      return update.old !== update.new && current[index] === target
    })
  }
}
