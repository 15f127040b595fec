import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { Readable } from 'node:stream'
import type { Writable } from 'node:stream'
import { alternatesEnv } from '../upkeep/alternates.ts'
import type { Args } from '../args.ts'
import { GitError } from '../errors.ts'
import { clientDisconnected } from './locks.ts'
import type { Command } from './spawner/protocol.ts'
import type { Program } from './spawner/remote-child.ts'
import { isBlocked, sweepRepository } from '../upkeep/stale-locks.ts'
import { isReading } from './traffic.ts'
import type { Git, Repo } from '../types.ts'
import { ProcessWatch } from './watch.ts'

export type Config = ReadonlyArray<readonly [key: string, content: string]>

export interface RunOptions {
  /** Exit codes that do not count as a failure; default [0]. */
  readonly ok?: readonly number[]
  readonly input?: string | Uint8Array | Readable
  /** The maximum output of `run` in bytes, default 64 MiB; more output is a failure. The stream of `open` has no limit. */
  readonly maxBytes?: number
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Additional environment variables, such as the quarantine folder of a push. */
  readonly env?: Readonly<Record<string, string>>
  readonly config?: Config
  /** Number of file descriptors of the process, all of them pipes; default 3. See Command. */
  readonly descriptors?: 3 | 5
  /** Called with the process when it has started, to use the additional descriptors. */
  readonly onSpawn?: (child: Program) => void
  /** The folders of other repositories that the command reads. */
  readonly reads?: readonly string[]
  /** The slots that the command waits for. `transfer` is for clones, fetches and pushes; see Git.transfers. */
  readonly pool?: 'command' | 'transfer'
  /** True to run with a low CPU priority; default true for transfers that only read. */
  readonly lowPriority?: boolean
  /** True to end the programs that the command has started together with it. No effect on Windows. */
  readonly group?: boolean
  /** Memory limit of the command and of each program that it starts, without memory-mapped files. Linux only. */
  readonly memoryBytes?: number
}

export interface RunResult {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

/** A running command with its output as a stream. Destroying `stdout` early ends the command without a failure. */
export interface GitStream {
  readonly stdout: Readable
  readonly stdin: Writable
  /** Settles when the process has ended. Rejects with GitError for a failure, or with the reason of the aborted signal. */
  readonly done: Promise<{ readonly code: number | null; readonly stderr: string }>
  stop(): void
}

const hasProcessGroups = process.platform !== 'win32'
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024

/** The git configuration of every command. It takes precedence over the repository's own config file. */
const BASE_CONFIG: Config = [
  ['safe.directory', '*'],
  // A repository's own hooks never run. Pushes set the folder of Deskforge's hooks.
  ['core.hooksPath', '/dev/null'],
  ['core.quotePath', 'false'],
  // A change must survive a power cut once its request was answered.
  ['core.fsync', 'objects,derived-metadata,reference'],
  ['core.fsyncMethod', 'fsync'],
  // Deskforge schedules housekeeping; git must not start it.
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  // If two commands write one ref, the second waits instead of failing.
  ['core.filesRefLockTimeout', '2000'],
  ['core.packedRefsTimeout', '5000'],
]

/**
 * Runs one git command to its end. Throws GitError for an exit code that is not in `ok`. When a lock file blocks the
 * command, the locks of dead processes are removed and the command runs once more.
 */
export async function run(
  target: Repo | Git,
  operation: string,
  args: Args,
  options: RunOptions = {},
): Promise<RunResult> {
  try {
    return await runOnce(target, operation, args, options)
  } catch (error) {
    const isRepeatable = 'git' in target && !(options.input instanceof Readable)
    if (!isRepeatable || !(error instanceof GitError) || !isBlocked(error.stderr)) throw error
    // While another command writes, the result is undefined, because the lock may be in use.
    if ((await sweepRepository(target)) === undefined) throw error
    return runOnce(target, operation, args, options)
  }
}

async function runOnce(
  target: Repo | Git,
  operation: string,
  args: Args,
  options: RunOptions,
): Promise<RunResult> {
  const limit = options.maxBytes ?? DEFAULT_MAX_BYTES
  const stream = await open(target, operation, args, options)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of stream.stdout as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) throw new GitError({ operation, args: args.words, reason: 'output_limit' })
      chunks.push(chunk)
    }
  } catch (error) {
    stream.stop()
    await stream.done
    throw error
  }
  const { code, stderr } = await stream.done
  return { code: code ?? 0, stdout: Buffer.concat(chunks, size), stderr }
}

/** Waits for a free slot, starts a git command and returns its output as a stream. */
export async function open(
  target: Repo | Git,
  operation: string,
  args: Args,
  runOptions: RunOptions = {},
): Promise<GitStream> {
  const options = endingWithClient(target, args, runOptions)
  const entered = 'git' in target ? target.git.traffic.enter(target, args, options.reads) : undefined
  const leave = entered instanceof Promise ? await entered : entered
  try {
    const stream = await start(target, operation, args, options)
    void stream.closed.then(leave)
    return stream
  } catch (error) {
    leave?.()
    throw error
  }
}

/** Adds a signal that ends a command that only reads when the client of its request disconnects. */
function endingWithClient(target: Repo | Git, args: Args, options: RunOptions): RunOptions {
  const { disconnectSignal } = 'git' in target ? target.git : target
  const signal = disconnectSignal === undefined || !isReading(args) ? undefined : disconnectSignal()
  if (!signal) return options
  if (signal.aborted) throw clientDisconnected()
  return { ...options, signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal }
}

async function start(
  target: Repo | Git,
  operation: string,
  args: Args,
  options: RunOptions,
): Promise<GitStream & { readonly closed: Promise<unknown> }> {
  const git = 'git' in target ? target.git : target
  const queuedAt = performance.now()
  const release = await (options.pool === 'transfer' ? git.transfers : git.commands).acquire(options.signal)
  let child: Program
  try {
    child = spawnGit(target, args, options)
    // When file descriptors run out, Node returns a process without streams and emits the error later.
    if (!child.stdout) await once(child, 'spawn')
  } catch (error) {
    release()
    throw new GitError({ operation, args: args.words, reason: 'spawn', stderr: String(error) })
  }
  const startedAt = performance.now()
  const watch = new ProcessWatch(child, operation, args, {
    ...options,
    timeoutMs: options.timeoutMs ?? limitOf(git, operation, options),
    group: hasProcessGroups && (options.group ?? false),
  })
  void watch.closed.then(() => {
    release()
    const duration = performance.now() - startedAt
    git.observe({
      operation,
      repository: 'git' in target ? target.key : null,
      args: args.words,
      code: child.exitCode,
      duration_ms: duration,
      queued_ms: startedAt - queuedAt,
      slow: duration > git.slowMs,
    })
  })
  options.onSpawn?.(child)
  feed(child, options.input)
  const { done, closed } = watch
  return { stdout: child.stdout!, stdin: child.stdin!, done, closed, stop: () => watch.stop() }
}

function limitOf(git: Git, operation: string, { pool }: RunOptions): number {
  return (pool === 'transfer' ? undefined : git.limitOf(operation)) ?? git.timeoutMs
}

/** The priority of clones, which use the CPU for seconds. Commands that a page waits for run before them. */
const LOW_PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL

/**
 * Starts git, through the spawner's helper process if it runs. No other function starts git. Callers use `run` or
 * `open`, except for long-lived processes; `direct` keeps their input and output out of the helper.
 */
export function spawnGit(
  target: Repo | Git,
  args: Args,
  options: Pick<
    RunOptions,
    'env' | 'config' | 'descriptors' | 'group' | 'memoryBytes' | 'pool' | 'lowPriority'
  > & { readonly direct?: boolean } = {},
): Program {
  const git = 'git' in target ? target.git : target
  const { lowPriority = options.pool === 'transfer' && isReading(args) } = options
  const nice = lowPriority ? LOW_PRIORITY : undefined
  const { descriptors = 3, direct = false } = options
  const group = hasProcessGroups && (options.group ?? false)
  const command = withMemoryLimit(commandOf(target, args, options), options.memoryBytes)
  if (git.spawner.isReady())
    return git.spawner.start({
      ...command,
      descriptors,
      group,
      direct,
      ...(nice === undefined ? {} : { nice }),
    })
  const { file, args: words, cwd, env } = command
  const stdio = Array.from({ length: descriptors }, () => 'pipe' as const)
  const child = spawn(file, words, { cwd, env, stdio, windowsHide: true, detached: group })
  if (nice !== undefined && child.pid !== undefined) lowerPriority(child.pid, nice)
  return child
}

function lowerPriority(pid: number, nice: number): void {
  try {
    setPriority(pid, nice)
  } catch {
    // The process has ended.
  }
}

/** The same command, started by a shell that limits its memory first. */
function withMemoryLimit(command: Command, memoryBytes: number | undefined): Command {
  if (memoryBytes === undefined || process.platform !== 'linux') return command
  const script = `ulimit -d ${Math.floor(memoryBytes / 1024)} 2>/dev/null; exec "$0" "$@"`
  return { ...command, file: '/bin/sh', args: ['-c', script, command.file, ...command.args] }
}

function commandOf(
  target: Repo | Git,
  args: Args,
  options: { env?: Readonly<Record<string, string>>; config?: Config },
): Command {
  const git = 'git' in target ? target.git : target
  const alternates = 'git' in target ? alternatesEnv(target.alternates ?? []) : {}
  const gitDirOption = 'git' in target ? [`--git-dir=${target.gitDir}`] : []
  return {
    file: git.binary,
    args: [...gitDirOption, ...args.words],
    cwd: git.home,
    env: {
      ...git.environment,
      ...alternates,
      ...configEnvironment([...BASE_CONFIG, ...git.config(), ...(options.config ?? [])]),
      ...options.env,
    },
  }
}

function configEnvironment(config: Config): Record<string, string> {
  const entries = config.flatMap(([key, content], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, content],
  ])
  return { GIT_CONFIG_COUNT: String(config.length), ...Object.fromEntries(entries) }
}

function feed(child: Program, input: RunOptions['input']): void {
  const stdin = child.stdin!
  if (!(input instanceof Readable)) {
    // Git may end before it has read all input. Its exit code shows whether that is a failure.
    stdin.on('error', () => {})
    stdin.end(input)
    return
  }
  // If the client disconnected before git started, git reports that its input is incomplete.
  if (input.destroyed && !input.readableEnded) {
    stdin.on('error', () => {})
    stdin.destroy()
    return
  }
  // If git stops reading, the rest of the input is discarded: a client sends its whole request before it reads the
  // answer.
  const drain = () => {
    input.unpipe(stdin)
    input.resume()
  }
  stdin.on('error', drain)
  stdin.on('close', drain)
  input.on('error', () => stdin.destroy())
  input.on('close', () => {
    if (!input.readableEnded) stdin.destroy()
  })
  input.pipe(stdin)
}
