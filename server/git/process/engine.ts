import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { Gate } from '../../lib/gate.ts'
import { GitCache } from '../cache.ts'
import { CatFilePool } from '../read/cat-file.ts'
import { Limiter, Share } from './limiter.ts'
import { ClientLocks, WriteLocks, type Client } from './locks.ts'
import { OpenWrites } from '../write/open-writes.ts'
import type { Config } from './run.ts'
import { Spawner } from './spawner/spawner.ts'
import { PushHooks } from '../transport/push-hooks.ts'
import { Traffic } from './traffic.ts'
import type { Git, GitOperation, Repo } from '../types.ts'

export interface GitOptions {
  /** Absolute path of git, as discoverGit found it. */
  readonly binary: string
  /**
   * Folder of our own that serves as HOME and working directory of git and holds the hooks; made when missing. Nobody
   * else may be able to write there.
   */
  readonly home: string
  /** Settings of every command, beside our usual ones. */
  readonly config?: () => Config
  /** Told about every finished process; the place for logs and timings. */
  readonly observe?: (operation: GitOperation) => void
  /** A command that takes longer is reported as slow; default 2000 ms. */
  readonly slowMs?: number
  /** Time limit of commands; default 360 s. */
  readonly timeoutMs?: number
  /** Milliseconds for a command of a request that names no limit itself, by what it is for; default `timeoutMs`. */
  readonly limitOf?: (operation: string) => number | undefined
  /** Short commands at a time; default twice the processors, at least 4. */
  readonly maxCommands?: number
  /** Clones, fetches and pushes at a time; default 32. */
  readonly maxTransfers?: number
  /** Long-lived cat-file processes at a time, over all repositories; default 12. */
  readonly maxCatFiles?: number
  /** An unused cat-file process ends after this time; default 60 s. */
  readonly catFileIdleMs?: number
  /** A cat-file process that owes an answer and is silent for this long is replaced; default 20 s. */
  readonly catFileAnswerMs?: number
  /** Bound of the memory for commits, trees and diffs; default 48 MiB. */
  readonly cacheBytes?: number
  /** From how much memory of this process on a helper starts commands, and how long it stays unused. */
  readonly spawner?: { readonly worthItBytes?: number; readonly idleMs?: number }
}

/** Makes a git engine. Starts nothing; processes come with the first use. Close it at the end. */
export function createGit(options: GitOptions): Git {
  const { home } = options
  mkdirSync(home, { recursive: true })
  const catFiles = new CatFilePool({
    maxProcesses: options.maxCatFiles ?? 12,
    idleMs: options.catFileIdleMs ?? 60_000,
    answerTimeoutMs: options.catFileAnswerMs ?? 20_000,
  })
  const spawner = new Spawner(options.spawner)
  const openWrites = new OpenWrites(path.join(home, 'open-writes'))
  return {
    binary: options.binary,
    home,
    environment: fixedEnvironment(home),
    config: options.config ?? (() => []),
    timeoutMs: options.timeoutMs ?? 360_000,
    limitOf: options.limitOf ?? (() => undefined),
    slowMs: options.slowMs ?? 2000,
    observe: options.observe ?? (() => {}),
    commands: new Limiter(options.maxCommands ?? Math.max(4, availableParallelism() * 2)),
    transfers: new Limiter(options.maxTransfers ?? 32),
    catFiles,
    cache: new GitCache(options.cacheBytes ?? 48 * 1024 * 1024),
    locks: new WriteLocks(),
    gates: { writers: new Gate(), refs: new Gate(), removals: new Gate() },
    traffic: new Traffic(openWrites),
    hooks: new PushHooks(home),
    openWrites,
    spawner,
    close: async () => {
      spawner.close()
      openWrites.close()
      await catFiles.close()
    },
  }
}

/**
 * The same engine for background work: it takes half of the places for short commands, so that requests do not wait, and
 * may take longer, as nobody waits for it.
 */
export function inBackground(git: Git): Git {
  return {
    ...git,
    limitOf: () => undefined,
    commands: new Share(git.commands, Math.max(2, Math.floor(git.commands.size / 2))),
  }
}

/**
 * The same engine for one request: its client waits in bounded queues, what only reads goes first, and is not read any more
 * when the client has left.
 */
export function forClient(git: Git, client: Client): Git {
  if (!(git.locks instanceof WriteLocks)) throw new TypeError('This engine belongs to a request already.')
  const locks = new ClientLocks(git.locks, client)
  const leaving = () => (client.onlyReads && !locks.hasBegun ? client.signal : undefined)
  const commands = client.onlyReads && git.commands instanceof Limiter ? git.commands.first : git.commands
  return { ...git, locks, leaving, commands }
}

/**
 * The handle of the bare repository in `gitDir` (absolute). `key` is its name in caches, locks and logs. The handle follows
 * the repository when it is moved; a copy of the handle (`{ ...repo }`) stays at the place of that moment.
 */
export function repoAt(git: Git, gitDir: string, key: string = gitDir): Repo {
  if (!path.isAbsolute(gitDir)) throw new TypeError(`Not an absolute path: ${gitDir}`)
  return {
    git,
    get gitDir() {
      return git.traffic.placeOf(key, gitDir)
    },
    key,
  }
}

/** Nothing of the user's own git setup may change what we do or print, and git may never ask a question. */
function fixedEnvironment(home: string): Record<string, string> {
  return {
    ...inherited(),
    HOME: home,
    LC_ALL: 'C',
    TERM: 'dumb',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    // A path is a path, even if it holds `*` or begins with `:`.
    GIT_LITERAL_PATHSPECS: '1',
  }
}

function inherited(): Record<string, string> {
  // Without these Windows cannot start programs or find its folders.
  const windows = ['SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE']
  const names = process.platform === 'win32' ? ['PATH', 'Path', ...windows] : ['PATH']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]!]])),
  )
}
