import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

/** The repository's root folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url))
/** The built command line. */
export const cli = join(root, 'dist/server/cli.js')

const ready = /^Deskforge is ready at (https?:\/\/\S+)$/m

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningProcess {
  readonly child: ChildProcess
  /** Resolves with the address once the ready line is printed; rejects when the process ends before. */
  readonly url: Promise<string>
  readonly ended: Promise<Ended>
  readonly output: { stdout: string; stderr: string }
  /** Sends a signal and resolves with the exit of the process and its duration in milliseconds. */
  stop(signal?: NodeJS.Signals): Promise<Ended & { after: number }>
}

export interface StartOptions {
  /** Serves this data folder on a free port. One that does not exist yet begins with an empty database (see `prepare`). */
  readonly dataDir?: string
  readonly args?: readonly string[]
  readonly env?: Record<string, string | undefined>
  readonly cwd?: string
  /** Instead of the built command line's `serve`. */
  readonly command?: readonly [program: string, ...args: string[]]
}

/** The environment without variables of another start. A shared compile cache serves hundreds of starts. */
export function cleanEnv(extra: StartOptions['env']): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(DESKFORGE_|VITEST|NODE_ENV$|npm_)/.test(name),
  )
  return {
    ...Object.fromEntries(own),
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tests'),
    ...extra,
  }
}

/** The path at which `build.ts` stores a database with all tables and no rows, created by the build under test. */
export function builtDatabase(): string {
  const digest = createHash('sha256')
    .update(root)
    .update(readFileSync(join(root, 'dist/stamp')))
    .digest('hex')
  return join(root, 'node_modules/.cache/deskforge', `built-${digest.slice(0, 16)}.db`)
}

/** Creates a data folder with an empty database. Without migrations its first start takes a third of the time. */
function prepare(dataDir: string): void {
  if (existsSync(dataDir)) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  copyFileSync(builtDatabase(), join(dataDir, 'deskforge.db'))
}

/** Starts an instance as a process of its own, by default the built server. */
export function startProcess(options: StartOptions = {}): RunningProcess {
  const [program, ...first] = options.command ?? [process.execPath, cli, 'serve']
  if (options.dataDir !== undefined) prepare(options.dataDir)
  const folder = options.dataDir === undefined ? [] : ['--data-dir', options.dataDir, '--port', '0']
  const child = spawn(program as string, [...first, ...folder, ...(options.args ?? [])], {
    cwd: options.cwd ?? root,
    env: cleanEnv(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  const exit = once(child, 'close')
  const ended = exit.then(([code, signal]) => ({ code, signal, ...output }) as Ended)
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output.stdout += chunk.toString()
      const address = ready.exec(output.stdout)?.[1]
      if (address) resolve(address)
    })
    child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
    exit.then(
      () => reject(new Error(`The process ended before it was ready:\n${output.stdout}${output.stderr}`)),
      reject,
    )
  })
  // Callers that only wait for the end do not handle the rejection of the address.
  url.catch(() => undefined)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    const started = performance.now()
    child.kill(signal)
    return { ...(await ended), after: performance.now() - started }
  }
  return { child, url, ended, output, stop }
}

export interface Scratch {
  readonly folder: string
  /** A path inside it that does not exist yet. */
  path(name: string): string
  start(options?: StartOptions): RunningProcess
  /** Ends the started processes and removes the folder. */
  clear(): Promise<void>
}

/** A temporary folder, and the processes that work in it. */
export function scratch(): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'deskforge-test-'))
  const started: RunningProcess[] = []
  return {
    folder,
    path: (name) => join(folder, name),
    start: (options) => {
      const child = startProcess(options)
      started.push(child)
      return child
    },
    clear: async () => {
      await Promise.all(
        started.map((server) => (server.child.exitCode === null ? server.stop('SIGKILL') : server.ended)),
      )
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
