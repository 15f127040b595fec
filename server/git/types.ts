import type { Gate } from '../lib/gate.ts'
import type { GitCache } from './cache.ts'
import type { CatFilePool } from './read/cat-file.ts'
import type { Slots } from '../lib/limiter.ts'
import type { Locks } from './process/locks.ts'
import type { OpenWrites } from './write/open-writes.ts'
import type { Config } from './process/run.ts'
import type { Spawner } from './process/spawner/spawner.ts'
import type { PushHooks } from './transport/push-hooks.ts'
import type { Traffic } from './process/traffic.ts'

/** What `observe` receives after every git process. */
export interface GitOperation {
  /** What the command was for, such as `tags.create`. */
  readonly operation: string
  /** Key of the repository, null for commands without one. */
  readonly repository: string | null
  readonly args: readonly string[]
  readonly code: number | null
  /** From start of the process to its end, in milliseconds. */
  readonly duration_ms: number
  /** Time spent waiting for a free slot, in milliseconds. */
  readonly queued_ms: number
  /** True when it ran longer than the limit for slow commands. */
  readonly slow: boolean
}

/** Gates that a backup closes for a moment, in this order; see lib/gate.ts. */
export interface GitGates {
  /** Work under the write lock of a repository. */
  readonly writers: Gate
  /** Changes of refs, HEAD or the folder of a repository. Many run without the write lock, for internal refs. */
  readonly refs: Gate
  /** The removal of repositories. */
  readonly removals: Gate
}

/** One git engine: the git binary, its environment, limits and caches. Created by createGit in engine.ts. */
export interface Git {
  readonly binary: string
  /** HOME and working directory of every process. */
  readonly home: string
  /** Folder for temporary files. The removal of leftovers in repositories does not touch it. */
  readonly tmp: string
  readonly environment: Readonly<Record<string, string>>
  /** Git settings of every command, in addition to the built-in ones. */
  readonly config: () => Config
  /** Time limit of a command that names none, in milliseconds. */
  readonly timeoutMs: number
  /** The time limit of an operation where it differs from `timeoutMs`. */
  readonly limitOf: (operation: string) => number | undefined
  readonly slowMs: number
  readonly observe: (operation: GitOperation) => void
  /** Slots for short commands. */
  readonly commands: Slots
  /**
   * Slots for clones, fetches and pushes. The other side decides how long these take, so they must not block short
   * commands.
   */
  readonly transfers: Slots
  readonly catFiles: CatFilePool
  readonly cache: GitCache
  readonly locks: Locks
  readonly gates: GitGates
  /** Folders of repositories that snapshots need: nothing is pruned in them, and they are moved aside, not removed. */
  readonly needed: Set<string>
  readonly traffic: Traffic
  readonly hooks: PushHooks
  /** The repositories with a write under way; the start after a crash cleans these up. */
  readonly openWrites: OpenWrites
  /** Returns the signal that ends reading commands; undefined if they have to run to their end. */
  readonly leaving?: () => AbortSignal | undefined
  /** Starts programs through a helper process where that is faster. */
  readonly spawner: Spawner
  /** Ends the long-lived processes. Commands under way are not touched. */
  close(): Promise<void>
}

/** A bare repository on disk. Making the handle reads nothing; the repository need not exist yet. */
export interface Repo {
  readonly git: Git
  /** Absolute path at this moment: the handle follows a repository that is moved. */
  readonly gitDir: string
  /** Name in caches, locks and logs; unique among the repositories of one engine. */
  readonly key: string
  /** Object folders of other repositories that can be read too; see withObjectsOf. */
  readonly alternates?: readonly string[]
}
