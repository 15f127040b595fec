import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { Gate } from '../../lib/gate.ts'
import { GitCache } from '../cache.ts'
import { CatFilePool } from '../read/cat-file.ts'
import { Limiter, PartialSlots, StaggeredSlots } from '../../lib/limiter.ts'
import { ClientLocks, WriteLocks, type Client } from './locks.ts'
import { OpenWrites } from '../write/open-writes.ts'
import type { Config } from './run.ts'
import { Spawner } from './spawner/spawner.ts'
import { FetchCache } from '../transport/fetch-cache.ts'
import { PushHooks } from '../transport/push-hooks.ts'
import { Traffic } from './traffic.ts'
import type { Git, GitOperation, Repo } from '../types.ts'

export interface GitOptions {
  /** Absolute path of git, from discoverGit. */
  readonly binary: string
  /**
   * The folder with the hooks, which is also HOME and the working directory of git. It is created when missing. No other
   * user may be able to write there.
   */
  readonly home: string
  /** Folder for temporary files, on the same disk as the repositories; default `home`. The caller empties it at start. */
  readonly tmp?: string
  /** Additional environment variables, for a git that does not find its own files. */
  readonly environment?: Readonly<Record<string, string>>
  /** Additional git configuration of every command. */
  readonly config?: () => Config
  /** Every move of refs and every removal of a repository waits for this promise. By default they wait for nothing. */
  readonly stored?: () => Promise<void> | undefined
  /** Called after every finished process, for logs and timings. */
  readonly observe?: (operation: GitOperation) => void
  /** A command that takes longer is reported as slow; default 2000 ms. */
  readonly slowMs?: number
  /** Time limit of commands; default 360 s. */
  readonly timeoutMs?: number
  /** Time limit of an operation in milliseconds, for commands without a limit of their own; default `timeoutMs`. */
  readonly limitOf?: (operation: string) => number | undefined
  /** The maximum number of concurrent short commands; default twice the number of processors, at least 4. */
  readonly maxCommands?: number
  /** The maximum number of concurrent clones, fetches and pushes; default 32. */
  readonly maxTransfers?: number
  /** The maximum number of cat-file processes, over all repositories; default 32. */
  readonly maxCatFiles?: number
  /** An unused cat-file process ends after this time; default 60 s. */
  readonly catFileIdleMs?: number
  /** A cat-file process that does not answer for this long is replaced; default 20 s. */
  readonly catFileAnswerMs?: number
  /** The maximum size of the cache for commits, trees and diffs; default 48 MiB. */
  readonly cacheBytes?: number
  /** A spawner that is shared with other engines (its creator closes it), or the options of a new one. */
  readonly spawner?: Spawner | { readonly minMemoryBytes?: number; readonly idleMs?: number }
}

/** The number of programs that may use the processors at the same time. */
const MAX_CONCURRENT = Math.max(4, availableParallelism() * 2)
/** After this time a clone, fetch or push mostly waits for its client. */
const BEGIN_MS = 1000

/** Creates a git engine. It starts no process until the first command. Close it at the end. */
export function createGit(options: GitOptions): Git {
  const { home, stored } = options
  mkdirSync(home, { recursive: true })
  const catFiles = new CatFilePool({
    maxProcesses: options.maxCatFiles ?? 32,
    idleMs: options.catFileIdleMs ?? 60_000,
    answerTimeoutMs: options.catFileAnswerMs ?? 20_000,
  })
  const spawner = options.spawner instanceof Spawner ? options.spawner : new Spawner(options.spawner)
  const openWrites = new OpenWrites(path.join(home, 'open-writes'))
  return {
    binary: options.binary,
    home,
    tmp: options.tmp ?? home,
    environment: { ...fixedEnvironment(home), ...options.environment },
    config: options.config ?? (() => []),
    timeoutMs: options.timeoutMs ?? 360_000,
    limitOf: options.limitOf ?? (() => undefined),
    slowMs: options.slowMs ?? 2000,
    observe: options.observe ?? (() => {}),
    commands: new Limiter(options.maxCommands ?? MAX_CONCURRENT),
    transfers: new StaggeredSlots(options.maxTransfers ?? 32, {
      beginning: MAX_CONCURRENT,
      beginMs: BEGIN_MS,
    }),
    catFiles,
    cache: new GitCache(options.cacheBytes ?? 48 * 1024 * 1024),
    locks: new WriteLocks(),
    gates: { writers: new Gate(), refs: new Gate(stored), removals: new Gate(stored) },
    snapshotDirs: new Set(),
    traffic: new Traffic(openWrites),
    hooks: new PushHooks(home),
    fetches: new FetchCache(path.join(options.tmp ?? home, 'fetches')),
    openWrites,
    spawner,
    close: async () => {
      if (spawner !== options.spawner) spawner.close()
      openWrites.close()
      await catFiles.close()
    },
  }
}

/**
 * The same engine for background work. It uses at most half of the slots for short commands, so that requests need not
 * wait, and the time limits of requests do not apply.
 */
export function inBackground(git: Git): Git {
  return {
    ...git,
    limitOf: () => undefined,
    commands: new PartialSlots(git.commands, Math.max(2, Math.floor(git.commands.size / 2))),
  }
}

/**
 * The same engine for one request. Its writes wait in bounded queues, its reads run before background work, and its
 * reads end when the client disconnects.
 */
export function forClient(git: Git, client: Client): Git {
  if (!(git.locks instanceof WriteLocks)) throw new TypeError('This engine already belongs to a request.')
  const locks = new ClientLocks(git.locks, client)
  const disconnectSignal = () => (client.onlyReads && !locks.hasBegun ? client.signal : undefined)
  const commands = client.onlyReads && git.commands instanceof Limiter ? git.commands.priority : git.commands
  return { ...git, locks, disconnectSignal, commands }
}

/**
 * The handle of the bare repository in `gitDir` (absolute). `key` identifies it in caches, locks and logs. The handle
 * stays valid when the repository is moved; a copy of the handle (`{ ...repo }`) does not.
 */
export function repoAt(git: Git, gitDir: string, key: string = gitDir): Repo {
  if (!path.isAbsolute(gitDir)) throw new TypeError(`Not an absolute path: ${gitDir}`)
  return {
    git,
    get gitDir() {
      return git.traffic.currentDir(key, gitDir)
    },
    key,
  }
}

/** The environment of every command. It hides the user's own git configuration, and git never asks for input. */
function fixedEnvironment(home: string): Record<string, string> {
  return {
    ...inheritedEnvironment(),
    HOME: home,
    LC_ALL: 'C',
    TERM: 'dumb',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    // A path is taken literally, even if it contains `*` or begins with `:`.
    GIT_LITERAL_PATHSPECS: '1',
  }
}

function inheritedEnvironment(): Record<string, string> {
  // Windows needs these variables to start programs and to find its folders.
  const windows = ['SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE']
  const names = process.platform === 'win32' ? ['PATH', 'Path', ...windows] : ['PATH']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]!]])),
  )
}
