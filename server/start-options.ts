import type { Ctx } from './ctx.ts'
import type { ConnectionLimits } from './http/listener/connections.ts'
import type { Clock } from './lib/clock.ts'
import type { Spawner } from './git/process/spawner/spawner.ts'
import type { HashCost } from './lib/security/crypto.ts'
import type { Random } from './lib/security/random.ts'

/** How to start an instance. */
export interface StartOptions {
  /** The data folder; created when missing. */
  readonly dataDir: string
  /** 0: any free port. Default 7080. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Serves git over SSH on this port of the same host; 0: any free port. Off by default. */
  readonly sshPort?: number
  /** Password of the first administrator, `root`. Without it, the first-run screen asks for one. */
  readonly rootPassword?: string
  /** A personal access token of `root` with all scopes. */
  readonly rootToken?: string
  /** The built window. */
  readonly rendererDir?: string
  /** Assets of the docs page. */
  readonly assetsDir?: string
  /** Path of git; otherwise the bundled one, then the one on PATH. */
  readonly gitPath?: string
  readonly bundledGitPath?: string
  readonly version?: string
  readonly revision?: string
  readonly allowedHosts?: readonly string[]
  /** The public address behind a proxy, `https://forge.example.com`. Every URL in an answer uses it. */
  readonly url?: string
  /** Addresses and ranges (`10.0.0.0/8`) of trusted proxies, for `X-Forwarded-*`. */
  readonly trustedProxies?: readonly string[]
  /**
   * PEM files of a certificate and its private key. The instance then serves HTTPS, and reads them again when they
   * change.
   */
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly clock?: Clock
  /** The clock is frozen at this time (ISO 8601) until the workbench moves it. */
  readonly startAt?: string
  readonly random?: Random
  readonly logLevel?: string
  /** Checks every answer against its declaration; for tests. */
  readonly strict?: boolean
  readonly hashCost?: HashCost
  /** Time limit for the whole answer of a webhook. Default 10 s. */
  readonly hookTimeoutMs?: number
  /** Time limits of clients; for tests. */
  readonly connections?: Partial<ConnectionLimits>
  /**
   * Gateways to the hosts of vendors that integrations use without a setting: `{ 'api.pushover.net':
   * 'https://gateway.example.com/pushover' }`.
   */
  readonly vendorHosts?: Readonly<Record<string, string>>
  /** Folders of additional storages by name; absolute paths, created when missing. */
  readonly storages?: Readonly<Record<string, string>>
  /** False refuses impersonation tokens. Default true. */
  readonly impersonation?: boolean
  /** For a temporary instance: writes do not wait for the disk, so a power cut may lose data. */
  readonly temporary?: boolean
  /** A spawner to share between instances of one process; by default each has its own. */
  readonly spawner?: Spawner
}

/** Work that the end of the instance would interrupt. */
export interface RunningWork {
  readonly kind: 'job' | 'import' | 'push'
  /** The job with its project, or the path of the project; empty for pushes to wikis and snippets. */
  readonly name: string
}

export interface FailedPipeline {
  /** The path of the project and the branch. */
  readonly name: string
  /** Its page, as a path of this instance. */
  readonly page: string
}

/** A running instance. */
export interface Instance {
  readonly url: string
  /** A session of the instance's owner for the desktop window; undefined until the first administrator exists. */
  ownerSession(): { name: string; cookie: string } | undefined
  /** Clones a repository of the instance to a folder of this computer. Resolves to a sentence when that failed. */
  clone(options: { url: string; path: string; authorization: string }): Promise<string | undefined>
  /** The running jobs, imports and pushes. Closing the instance interrupts them. */
  runningWork(): readonly RunningWork[]
  /** Branches with a newest pipeline that failed within the last day, the newest failure first. */
  failedPipelines(): readonly FailedPipeline[]
  /** The runner inside the instance. `isPaused` returns undefined while the runner is turned off. */
  readonly builtInRunner: {
    isPaused(): boolean | undefined
    setPaused(paused: boolean): void
  }
  /**
   * Call it after the computer has slept. Starts work that became due, because timers do not advance during sleep, and
   * ends the event streams, so that windows reload all data. Connections from other computers are dead after a sleep.
   */
  wakeUp(): void
  /** Resolves when no background work is running or due. */
  drain(): Promise<void>
  /** A context of the system actor, for tools inside the process. */
  context(): Ctx
  /** Resolves when the instance has to be closed and started again with the same options, at the same address. */
  readonly restartRequested: Promise<void>
  /** Ends running requests and background work, then closes the database. */
  close(): Promise<void>
}
