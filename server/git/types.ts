import type { Gate } from '../lib/gate.ts'
import type { GitCache } from './cache.ts'
import type { CatFilePool } from './read/cat-file.ts'
import type { Slots } from './process/limiter.ts'
import type { Locks } from './process/locks.ts'
import type { OpenWrites } from './write/open-writes.ts'
import type { Config } from './process/run.ts'
import type { Spawner } from './process/spawner/spawner.ts'
import type { PushHooks } from './transport/push-hooks.ts'
import type { Traffic } from './process/traffic.ts'

/** What is told about every finished git process. */
export interface GitOperation {
  /** What the command was for, such as `tags.create`. */
  readonly operation: string
  /** Key of the repository, null for commands without one. */
  readonly repository: string | null
  readonly args: readonly string[]
  readonly code: number | null
  /** From start of the process to its end, in milliseconds. */
  readonly duration_ms: number
  /** Time spent waiting for a free place, in milliseconds. */
  readonly queued_ms: number
  /** True when it ran longer than the limit for slow commands. */
  readonly slow: boolean
}

/** Passages that a backup closes for a moment, in this order; see lib/gate.ts. */
export interface GitGates {
  /** Those who hold the write lock of a repository. */
  readonly writers: Gate
  /** Whatever changes refs, HEAD or the place of a repository; many do so without the lock, for refs of our own. */
  readonly refs: Gate
  /** The removal of repositories. */
  readonly removals: Gate
}

/** One git engine: which git, its fixed environment, its limits, its caches. Made by createGit in engine.ts. */
export interface Git {
  readonly binary: string
  /** Folder of our own, HOME and working directory of every process. */
  readonly home: string
  readonly environment: Readonly<Record<string, string>>
  /** Settings of every command, beside our usual ones. */
  readonly config: () => Config
  /** Time limit of a command that names none, in milliseconds. */
  readonly timeoutMs: number
  /** The limit of such a command where it is another one, by what it is for. */
  readonly limitOf: (operation: string) => number | undefined
  readonly slowMs: number
  readonly observe: (operation: GitOperation) => void
  /** Places for short commands. */
  readonly commands: Slots
  /** Places for clones, fetches and pushes, whose speed the other side decides; apart, so that they starve nobody. */
  readonly transfers: Slots
  readonly catFiles: CatFilePool
  readonly cache: GitCache
  readonly locks: Locks
  readonly gates: GitGates
  readonly traffic: Traffic
  readonly hooks: PushHooks
  /** Which repositories are being written to, for the start after a crash. */
  readonly openWrites: OpenWrites
  /** Aborted when nobody wants what reads any more; undefined where it has to go on, whoever is there. */
  readonly leaving?: () => AbortSignal | undefined
  /** Starts programs where that is faster than doing it here. */
  readonly spawner: Spawner
  /** Ends the long-lived processes. Commands under way are not touched. */
  close(): Promise<void>
}

/** A bare repository on disk. Making the handle reads nothing; the repository need not exist yet. */
export interface Repo {
  readonly git: Git
  /** Absolute path, the one of this moment: a repository that is moved takes its handles along. */
  readonly gitDir: string
  /** Name in caches, locks and logs; unique among the repositories of one engine. */
  readonly key: string
  /** Folders of further objects that can be read; see withObjectsOf. */
  readonly alternates?: readonly string[]
}
