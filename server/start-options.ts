import type { Ctx } from './ctx.ts'
import type { ConnectionLimits } from './http/listener/connections.ts'
import type { Clock } from './lib/clock.ts'
import type { HashCost } from './lib/security/crypto.ts'
import type { Random } from './lib/security/random.ts'

/** How to start an instance. */
export interface StartOptions {
  /** Folder of everything the instance keeps; made when missing. */
  readonly dataDir: string
  /** 0 takes any free port. Default 7080. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Serves git over SSH on this port of the same host; 0 takes any free one. Off without it. */
  readonly sshPort?: number
  /** Password of the first administrator, `root`; without it the first-run screen asks. */
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
  /** The address that people use, where a proxy stands in front: `https://forge.example.com`. It is in every answered URL. */
  readonly url?: string
  /** Addresses and ranges (`10.0.0.0/8`) of proxies whose `X-Forwarded-*` count. */
  readonly trustedProxies?: readonly string[]
  /** Files of a certificate and its private key in PEM: the instance speaks HTTPS, and follows them when they change. */
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly clock?: Clock
  readonly random?: Random
  readonly logLevel?: string
  /** Checks every answer against its declaration; for tests. */
  readonly strict?: boolean
  readonly hashCost?: HashCost
  /** How long the receiver of a webhook has for its whole answer. Default 10 s. */
  readonly hookTimeoutMs?: number
  /** How long clients may take; for tests. */
  readonly connections?: Partial<ConnectionLimits>
  /**
   * Gateways to the hosts of vendors that integrations send to and that no setting names:
   * `{ 'api.pushover.net': 'https://gateway.example.com/pushover' }`.
   */
  readonly vendorHosts?: Readonly<Record<string, string>>
  /** Further folders for repositories by name, beside `default`; absolute paths, made when missing. */
  readonly storages?: Readonly<Record<string, string>>
  /** False: impersonation tokens are refused. Default true. */
  readonly impersonation?: boolean
  /** A throw-away instance trades the safety of a power cut for speed. */
  readonly throwAway?: boolean
}

/** A running instance. */
export interface Instance {
  readonly url: string
  /** A session of the instance's owner for the desktop window; undefined while the first run is open. */
  ownerSession(): { name: string; cookie: string } | undefined
  /** Resolves when no background work is running or due. */
  drain(): Promise<void>
  /** A context that may do everything, for tools that run inside the process. */
  context(): Ctx
  /** Resolves when the instance wants to be closed and started anew with the same options, at the same address. */
  readonly restartAsked: Promise<void>
  /** Ends cleanly: requests under way, background work, the database. */
  close(): Promise<void>
}
