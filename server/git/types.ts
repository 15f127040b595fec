import type { Gate } from '../lib/gate.ts'
import type { GitCache } from './cache.ts'
import type { CatFilePool } from './read/cat-file.ts'
import type { Slots } from '../lib/limiter.ts'
import type { Locks } from './process/locks.ts'
import type { OpenWrites } from './write/open-writes.ts'
import type { Config } from './process/run.ts'
import type { Spawner } from './process/spawner/spawner.ts'
import type { FetchCache } from './transport/fetch-cache.ts'
import type { PushHooks } from './transport/push-hooks.ts'
import type { Traffic } from './process/traffic.ts'

/** A finished git process, as `observe` receives it. */
export interface GitOperation {
  /** The purpose of the command, such as `tags.create`. */
  readonly operation: string
  /** The key of the repository; null for commands without a repository. */
  readonly repository: string | null
  readonly args: readonly string[]
  readonly code: number | null
  /** The time from the start of the process to its end, in milliseconds. */
  readonly duration_ms: number
  /** The time for which the command waited for a slot, in milliseconds. */
  readonly queued_ms: number
  /** True when the command took longer than the limit for slow commands. */
  readonly slow: boolean
}

/** The gates that a backup closes for a moment, in this order; see lib/gate.ts. */
export interface GitGates {
  /** Work under the write lock of a repository. */
  readonly writers: Gate
  /** Changes of refs, HEAD or the folder of a repository. Many changes of internal refs run without the write lock. */
  readonly refs: Gate
  /** The removal of repositories. */
  readonly removals: Gate
}

/** One git engine: the git binary, its environment, limits and caches. Created by createGit in engine.ts. */
export interface Git {
  readonly binary: string
  /** HOME and working directory of every process. */
  readonly home: string
  /** The folder for temporary files. It is not in a repository, so the removal of leftovers skips it. */
  readonly tmp: string
  readonly environment: Readonly<Record<string, string>>
  /** Additional git configuration of every command. */
  readonly config: () => Config
  /** The time limit of a command without a limit of its own, in milliseconds. */
  readonly timeoutMs: number
  /** The time limit of an operation in milliseconds; undefined if it is `timeoutMs`. */
  readonly limitOf: (operation: string) => number | undefined
  readonly slowMs: number
  readonly observe: (operation: GitOperation) => void
  /** Slots for short commands. */
  readonly commands: Slots
  /**
   * Slots for clones, fetches and pushes. Their duration depends on the client or the remote, so they must not block
   * short commands.
   */
  readonly transfers: Slots
  readonly catFiles: CatFilePool
  readonly cache: GitCache
  readonly locks: Locks
  readonly gates: GitGates
  /** Folders of repositories that snapshots need. Nothing is pruned in them; instead of being removed, they are moved. */
  readonly snapshotDirs: Set<string>
  readonly traffic: Traffic
  readonly hooks: PushHooks
  /** Stored answers to repeated clones. */
  readonly fetches: FetchCache
  /** The repositories with a running write. The start after a crash cleans them up. */
  readonly openWrites: OpenWrites
  /** Returns the signal that ends commands that only read; undefined if they have to run to their end. */
  readonly disconnectSignal?: () => AbortSignal | undefined
  /** Starts programs, through a helper process if that is faster. */
  readonly spawner: Spawner
  /** Ends the long-lived processes. Running commands continue. */
  close(): Promise<void>
}

/** The handle of a bare repository on disk. The repository need not exist yet. */
export interface Repo {
  readonly git: Git
  /** The current absolute path of the repository, which changes when the repository is moved. */
  readonly gitDir: string
  /** The name of the repository in caches, locks and logs; unique among the repositories of one engine. */
  readonly key: string
  /** Object folders of other repositories that commands read too; see withObjectsOf. */
  readonly alternates?: readonly string[]
}

/** A ref and the object it points to. */
export interface RefValue {
  readonly ref: string
  readonly oid: string
}
